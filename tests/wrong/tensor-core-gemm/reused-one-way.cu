// Right, but only a's tiles are used twice: those of b are loaded for each row.
#include <cuda_fp16.h> // __half
#include <mma.h>       // fragments

using namespace nvcuda::wmma;

#define TILE 16

extern "C" __global__ void gemm(const __half *a, const __half *b, float *out,
                                int rows, int inner, int cols) { //~ too-much-work: load_sectors
    fragment<matrix_a, TILE, TILE, TILE, __half, row_major> a_tile;
    fragment<matrix_b, TILE, TILE, TILE, __half, row_major> b_tile;
    fragment<accumulator, TILE, TILE, TILE, float> sum[2];
    int col = 2 * blockIdx.x * TILE;
    int wide = col + TILE < cols ? 2 : 1;
    for (int y = 0; y < 2; y++) {
        int row = (2 * blockIdx.y + y) * TILE;
        if (row < rows) {
            fill_fragment(sum[0], 0.0f);
            fill_fragment(sum[1], 0.0f);
            for (int start = 0; start < inner; start += TILE) {
                load_matrix_sync(a_tile, a + row * inner + start, inner);
                for (int x = 0; x < 2; x++) {
                    if (x < wide) {
                        load_matrix_sync(b_tile, b + start * cols + col + x * TILE, cols);
                        mma_sync(sum[x], a_tile, b_tile, sum[x]);
                    }
                }
            }
            for (int x = 0; x < 2; x++) {
                if (x < wide) {
                    store_matrix_sync(out + row * cols + col + x * TILE, sum[x], cols,
                                      mem_row_major);
                }
            }
        }
    }
}
