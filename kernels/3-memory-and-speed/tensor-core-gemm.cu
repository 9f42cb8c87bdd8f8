// gemm: multiply two matrices on the tensor cores.
//
// a: (rows, inner), b: (inner, cols), both of __half; out: (rows, cols) of float.
// All row-major, all sizes multiples of 16.
// A block is one warp, and computes up to 2×2 tiles of 16×16 elements.
//
// This kernel is right, but loads each tile of a and b twice.

#include <cuda_fp16.h> // __half
#include <mma.h>       // fragments

using namespace nvcuda::wmma;

#define TILE 16

extern "C" __global__ void gemm(const __half *a, const __half *b, float *out,
                                int rows, int inner, int cols) {
    fragment<matrix_a, TILE, TILE, TILE, __half, row_major> a_tile;
    fragment<matrix_b, TILE, TILE, TILE, __half, row_major> b_tile;
    fragment<accumulator, TILE, TILE, TILE, float> sum;

    for (int y = 0; y < 2; y++) {
        for (int x = 0; x < 2; x++) {
            int row = (2 * blockIdx.y + y) * TILE;
            int col = (2 * blockIdx.x + x) * TILE;
            // At the edges there may be only one tile instead of two.
            if (row < rows && col < cols) {
                fill_fragment(sum, 0.0f);
                for (int start = 0; start < inner; start += TILE) {
                    load_matrix_sync(a_tile, a + row * inner + start, inner);
                    load_matrix_sync(b_tile, b + start * cols + col, cols);
                    mma_sync(sum, a_tile, b_tile, sum);
                }
                store_matrix_sync(out + row * cols + col, sum, cols, mem_row_major);
            }
        }
    }
}
