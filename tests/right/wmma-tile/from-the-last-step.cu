// Pointers move from the last step to the first.
#include <cuda_fp16.h> // __half
#include <mma.h>       // fragments

using namespace nvcuda::wmma;

#define TILE 16

extern "C" __global__ void wmma_matmul(const __half *a, const __half *b, float *out,
                                       int rows, int inner, int cols) {
    int row = blockIdx.y * TILE; // the first row and column of the tile
    int col = blockIdx.x * TILE;
    fragment<matrix_a, TILE, TILE, TILE, __half, row_major> a_tile;
    fragment<matrix_b, TILE, TILE, TILE, __half, row_major> b_tile;
    fragment<accumulator, TILE, TILE, TILE, float> sum;

    fill_fragment(sum, 0.0f);
    const __half *from_a = a + (row + 1) * inner, *from_b = b + inner * cols + col;
    for (int steps = inner / TILE; steps > 0; steps--) {
        from_a -= TILE;
        from_b -= TILE * cols;
        load_matrix_sync(b_tile, from_b, cols);
        load_matrix_sync(a_tile, from_a, inner);
        mma_sync(sum, a_tile, b_tile, sum);
    }
    store_matrix_sync(out + row * cols + col, sum, cols, mem_row_major);
}
