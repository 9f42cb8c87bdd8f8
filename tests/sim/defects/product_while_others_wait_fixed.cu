// One warp multiplies while the other waits at the barrier behind.
// launch: grid 1 block 64
// in a: f16 256 = i % 3
// in b: f16 256 = i % 5
// out y: f32 256
// expect y[i] = sum(k, 0, 16, (i/16*16 + k) % 3 * ((k*16 + i%16) % 5))
#include <mma.h>
using namespace nvcuda;
extern "C" __global__ void product(const half *a, const half *b, float *y) {
    __shared__ float tile[256];
    if (threadIdx.x < 32) {
        wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> left;
        wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> right;
        wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums;
        wmma::fill_fragment(sums, 0.0f);
        wmma::load_matrix_sync(left, a, 16);
        wmma::load_matrix_sync(right, b, 16);
        wmma::mma_sync(sums, left, right, sums);
        wmma::store_matrix_sync(tile, sums, 16, wmma::mem_row_major);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += blockDim.x) y[i] = tile[i];
}
