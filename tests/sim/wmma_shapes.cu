// The flat wmma shapes with f16 sums, from shared memory with padded rows.
// launch: grid 1 block 32
// in a: f16 512 = (i % 5) - 2
// in b: f16 512 = (i % 7) - 3
// out y: f16 512
// expect y[i] = i < 256 ? sum(k, 0, 16, a[i/8*16 + k] * b[k*8 + i%8]) + 1 : sum(k, 0, 16, a[(i-256)/32 + k*8] * b[(i-256)%32*16 + k])
#include <mma.h>
using namespace nvcuda;
extern "C" __global__ void shapes(const half *a, const half *b, half *y) {
    __shared__ __align__(32) half tall[32 * 24];
    for (int i = threadIdx.x; i < 512; i += 32) {
        tall[i / 16 * 24 + i % 16] = a[i];
    }
    __syncwarp();
    wmma::fragment<wmma::matrix_a, 32, 8, 16, half, wmma::row_major> left;
    wmma::fragment<wmma::matrix_b, 32, 8, 16, half, wmma::row_major> right;
    wmma::fragment<wmma::accumulator, 32, 8, 16, half> sums;
    wmma::fill_fragment(sums, __float2half(1.0f));
    wmma::load_matrix_sync(left, tall, 24);
    wmma::load_matrix_sync(right, b, 8);
    wmma::mma_sync(sums, left, right, sums);
    wmma::store_matrix_sync(y, sums, 8, wmma::mem_row_major);
    wmma::fragment<wmma::matrix_a, 8, 32, 16, half, wmma::col_major> flat_left;
    wmma::fragment<wmma::matrix_b, 8, 32, 16, half, wmma::col_major> flat_right;
    wmma::fragment<wmma::accumulator, 8, 32, 16, half> flat_sums;
    wmma::fill_fragment(flat_sums, __float2half(0.0f));
    wmma::load_matrix_sync(flat_left, a, 8);
    wmma::load_matrix_sync(flat_right, b, 16);
    wmma::mma_sync(flat_sums, flat_left, flat_right, flat_sums);
    wmma::store_matrix_sync(y + 256, flat_sums, 32, wmma::mem_row_major);
}
