// Half of the warp multiplies while the other half waits at the barrier behind.
// launch: grid 1 block 64
// in a: f16 256 = i % 3
// in b: f16 256 = i % 5
// out y: f32 256
// finding: B003
#include <mma.h>
using namespace nvcuda;
extern "C" __global__ void product(const half *a, const half *b, float *y) {
    __shared__ float tile[256];
    if (threadIdx.x < 16) {
        wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> left;
        wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> right;
        wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums;
        wmma::fill_fragment(sums, 0.0f);
        wmma::load_matrix_sync(left, a, 16); //~ B003
        wmma::load_matrix_sync(right, b, 16);
        wmma::mma_sync(sums, left, right, sums);
        wmma::store_matrix_sync(tile, sums, 16, wmma::mem_row_major);
    }
    __syncthreads();
    if (threadIdx.x < 16) y[threadIdx.x] = tile[threadIdx.x];
}
