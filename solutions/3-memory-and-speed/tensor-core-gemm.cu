// gemm: multiply two matrices on the tensor cores.
//
// a: (rows, inner), b: (inner, cols), both of __half; out: (rows, cols) of float.
// All row-major, all sizes multiples of 16.
// A block is one warp, and computes up to 2×2 tiles of 16×16 elements.

#include <cuda_fp16.h> // __half
#include <mma.h>       // fragments

using namespace nvcuda::wmma;

#define TILE 16

extern "C" __global__ void gemm(const __half *a, const __half *b, float *out,
                                int rows, int inner, int cols) {
    // Four sums at once: they stay in registers until the end.
    fragment<matrix_a, TILE, TILE, TILE, __half, row_major> a_tile[2];
    fragment<matrix_b, TILE, TILE, TILE, __half, row_major> b_tile[2];
    fragment<accumulator, TILE, TILE, TILE, float> sum[2][2];

    int row = 2 * blockIdx.y * TILE; // the first of up to two rows of tiles
    int col = 2 * blockIdx.x * TILE;
    // The same for all lanes, so the warp stays together in every branch below.
    int tall = row + TILE < rows ? 2 : 1;
    int wide = col + TILE < cols ? 2 : 1;

    for (int y = 0; y < 2; y++) {
        for (int x = 0; x < 2; x++) {
            fill_fragment(sum[y][x], 0.0f);
        }
    }
    for (int start = 0; start < inner; start += TILE) {
        // Four loads (two and two) …
        for (int y = 0; y < 2; y++) {
            if (y < tall) {
                load_matrix_sync(a_tile[y], a + (row + y * TILE) * inner + start, inner);
            }
        }
        for (int x = 0; x < 2; x++) {
            if (x < wide) {
                load_matrix_sync(b_tile[x], b + start * cols + col + x * TILE, cols);
            }
        }
        // … for four products: each tile of a with each of b. The loops run to 2,
        // not to tall and wide: then the compiler can unroll them, and every
        // fragment stays in registers.
        for (int y = 0; y < 2; y++) {
            for (int x = 0; x < 2; x++) {
                if (y < tall && x < wide) {
                    mma_sync(sum[y][x], a_tile[y], b_tile[x], sum[y][x]);
                }
            }
        }
    }
    for (int y = 0; y < 2; y++) {
        for (int x = 0; x < 2; x++) {
            if (y < tall && x < wide) {
                float *tile = out + (row + y * TILE) * cols + col + x * TILE;
                store_matrix_sync(tile, sum[y][x], cols, mem_row_major);
            }
        }
    }
}
