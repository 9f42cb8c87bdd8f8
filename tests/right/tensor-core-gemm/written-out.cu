// No loops over the four tiles: each is written out.
#include <cuda_fp16.h> // __half
#include <mma.h>       // fragments

using namespace nvcuda::wmma;

#define TILE 16

extern "C" __global__ void gemm(const __half *a, const __half *b, float *out,
                                int rows, int inner, int cols) {
    fragment<matrix_a, TILE, TILE, TILE, __half, row_major> a_tile[2];
    fragment<matrix_b, TILE, TILE, TILE, __half, row_major> b_tile[2];
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
        load_matrix_sync(a_tile[0], a + row * inner + start, inner);
        load_matrix_sync(b_tile[0], b + start * cols + col, cols);
        mma_sync(sum[0][0], a_tile[0], b_tile[0], sum[0][0]);
        if (wide == 2) {
            load_matrix_sync(b_tile[1], b + start * cols + col + TILE, cols);
            mma_sync(sum[0][1], a_tile[0], b_tile[1], sum[0][1]);
        }
        if (tall == 2) {
            load_matrix_sync(a_tile[1], a + (row + TILE) * inner + start, inner);
            mma_sync(sum[1][0], a_tile[1], b_tile[0], sum[1][0]);
        }
        if (tall == 2 && wide == 2) {
            mma_sync(sum[1][1], a_tile[1], b_tile[1], sum[1][1]);
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
