// Two steps' tiles are loaded before the first is multiplied.
#include <cuda_fp16.h> // __half
#include <mma.h>       // fragments

using namespace nvcuda::wmma;

#define TILE 16

extern "C" __global__ void wmma_matmul(const __half *a, const __half *b, float *out,
                                       int rows, int inner, int cols) {
    int row = blockIdx.y * TILE; // the first row and column of the tile
    int col = blockIdx.x * TILE;
    fragment<matrix_a, TILE, TILE, TILE, __half, row_major> a_tile, a_next;
    fragment<matrix_b, TILE, TILE, TILE, __half, row_major> b_tile, b_next;
    fragment<accumulator, TILE, TILE, TILE, float> sum;

    fill_fragment(sum, 0.0f);
    for (int start = 0; start < inner; start += 2 * TILE) {
        bool second = start + TILE < inner;
        load_matrix_sync(a_tile, a + row * inner + start, inner);
        load_matrix_sync(b_tile, b + start * cols + col, cols);
        if (second) {
            load_matrix_sync(a_next, a + row * inner + start + TILE, inner);
            load_matrix_sync(b_next, b + (start + TILE) * cols + col, cols);
        }
        mma_sync(sum, a_tile, b_tile, sum);
        if (second) {
            mma_sync(sum, a_next, b_next, sum);
        }
    }
    store_matrix_sync(out + row * cols + col, sum, cols, mem_row_major);
}
