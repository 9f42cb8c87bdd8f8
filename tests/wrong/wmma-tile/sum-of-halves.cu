// The sum is a fragment of __half, and out is of float.
#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda::wmma;

#define TILE 16

extern "C" __global__ void wmma_matmul(const __half *a, const __half *b, float *out,
                                       int rows, int inner, int cols) {
    int row = blockIdx.y * TILE;
    int col = blockIdx.x * TILE;
    fragment<matrix_a, TILE, TILE, TILE, __half, row_major> a_tile;
    fragment<matrix_b, TILE, TILE, TILE, __half, row_major> b_tile;
    fragment<accumulator, TILE, TILE, TILE, __half> sum;

    fill_fragment(sum, 0.0f);
    for (int start = 0; start < inner; start += TILE) {
        load_matrix_sync(a_tile, a + row * inner + start, inner);
        load_matrix_sync(b_tile, b + start * cols + col, cols);
        mma_sync(sum, a_tile, b_tile, sum);
    }
    store_matrix_sync(out + row * cols + col, sum, cols, mem_row_major); //~ compile-error
}
