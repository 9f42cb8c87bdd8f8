// Half of the warp has left.
#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda::wmma;

#define TILE 16

extern "C" __global__ void gemm(const __half *a, const __half *b, float *out,
                                int rows, int inner, int cols) {
    fragment<matrix_a, TILE, TILE, TILE, __half, row_major> a_tile[2];
    fragment<matrix_b, TILE, TILE, TILE, __half, row_major> b_tile[2];
    fragment<accumulator, TILE, TILE, TILE, float> sum[2][2];

    int row = 2 * blockIdx.y * TILE;
    int col = 2 * blockIdx.x * TILE;
    if (threadIdx.x >= 16) return;
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
                load_matrix_sync(a_tile[y], a + (row + y * TILE) * inner + start, inner); //~ warp-mask
            }
        }
        for (int x = 0; x < 2; x++) {
            if (x < wide) {
                load_matrix_sync(b_tile[x], b + start * cols + col + x * TILE, cols);
            }
        }
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
