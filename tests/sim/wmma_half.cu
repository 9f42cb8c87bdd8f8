// The tensor cores through mma.h: f16 factors, f32 sums, row-major A and column-major B.
// launch: grid 2 block 32
// in a: f16 512 = (i * 7 % 13) - 6
// in b: f16 512 = (i * 5 % 11) - 5
// out y: f32 512
// expect y[i] = 2 * sum(k, 0, 16, a[i/256*256 + i%256/16*16 + k] * b[i/256*256 + i%16*16 + k])
#include <mma.h>
using namespace nvcuda;
extern "C" __global__ void product(const half *a, const half *b, float *y) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> left;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> right;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums;
    wmma::fill_fragment(sums, 0.0f);
    wmma::load_matrix_sync(left, a + blockIdx.x * 256, 16);
    wmma::load_matrix_sync(right, b + blockIdx.x * 256, 16);
    wmma::mma_sync(sums, left, right, sums);
    for (int k = 0; k < sums.num_elements; k++) {
        sums.x[k] *= 2.0f;
    }
    wmma::store_matrix_sync(y + blockIdx.x * 256, sums, 16, wmma::mem_row_major);
}
