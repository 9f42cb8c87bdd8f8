// Sums of a product are filled with zeros first.
// launch: grid 3 block 32
// in a: f16 512 = i % 3
// in b: f16 512 = i % 5
// out y: f32 768
// expect y[i] = sum(k, 0, 16, (i%256/16*16 + k) % 3 * ((k*16 + i%16) % 5)) + sum(k, 0, 16, (256 + i%256/16*16 + k) % 3 * ((256 + k*16 + i%16) % 5))
#include <mma.h>
using namespace nvcuda;
extern "C" __global__ void product(const half *a, const half *b, float *y) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> left;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> right;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums;
    wmma::fill_fragment(sums, 0.0f);
    for (int k = 0; k < 512; k += 256) {
        wmma::load_matrix_sync(left, a + k, 16);
        wmma::load_matrix_sync(right, b + k, 16);
        wmma::mma_sync(sums, left, right, sums);
    }
    wmma::store_matrix_sync(y + blockIdx.x * 256, sums, 16, wmma::mem_row_major);
}
