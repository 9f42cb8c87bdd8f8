// Of b one tile is held at a time, and pointers move along inner.
#include <cuda_fp16.h> // __half
#include <mma.h>       // fragments

using namespace nvcuda::wmma;

#define TILE 16

extern "C" __global__ void gemm(const __half *a, const __half *b, float *out,
                                int rows, int inner, int cols) {
    fragment<matrix_a, TILE, TILE, TILE, __half, row_major> a_tile[2];
    fragment<matrix_b, TILE, TILE, TILE, __half, row_major> b_tile;
    fragment<accumulator, TILE, TILE, TILE, float> sum[2][2];

    int row = 2 * blockIdx.y * TILE; // the first of up to two rows of tiles
    int col = 2 * blockIdx.x * TILE;
    int tall = row + TILE < rows ? 2 : 1;
    int wide = col + TILE < cols ? 2 : 1;

    for (int y = 0; y < 2; y++) {
        for (int x = 0; x < 2; x++) {
            fill_fragment(sum[y][x], 0.0f);
        }
    }
    for (int start = 0; start < inner; start += TILE) {
        for (int y = 0; y < 2; y++) {
            if (y < tall) {
                load_matrix_sync(a_tile[y], a + (row + y * TILE) * inner + start, inner);
            }
        }
        const __half *from = b + start * cols + col;
        for (int x = 0; x < 2 && x < wide; x++, from += TILE) {
            load_matrix_sync(b_tile, from, cols);
            for (int y = 0; y < 2 && y < tall; y++) {
                mma_sync(sum[y][x], a_tile[y], b_tile, sum[y][x]);
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
