// Sixteen lanes multiply matrices that lie in the registers of thirty-two; the others have left.
// launch: grid 2 block 32
// in a: f16 256 = i % 3
// in b: f16 256 = i % 5
// out y: f32 512
// finding: B003
// note: A matrix operation needs all 32 lanes of the warp, but only lanes 0 to 15 reach it: the matrices are in the registers of all.
#include <mma.h>
using namespace nvcuda;
extern "C" __global__ void product(const half *a, const half *b, float *y) {
    if (threadIdx.x >= 16) return;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> left;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> right;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums;
    wmma::fill_fragment(sums, 0.0f);
    wmma::load_matrix_sync(left, a, 16); //~ B003
    wmma::load_matrix_sync(right, b, 16);
    wmma::mma_sync(sums, left, right, sums);
    wmma::store_matrix_sync(y + blockIdx.x * 256, sums, 16, wmma::mem_row_major);
}
