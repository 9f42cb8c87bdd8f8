// Even and odd steps have a sum of their own; their elements are added last.
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

    fragment<accumulator, TILE, TILE, TILE, float> odd;
    fill_fragment(sum, 0.0f);
    fill_fragment(odd, 0.0f);
    for (int start = 0; start < inner; start += TILE) {
        load_matrix_sync(a_tile, a + row * inner + start, inner);
        load_matrix_sync(b_tile, b + start * cols + col, cols);
        if (start / TILE % 2 == 0) {
            mma_sync(sum, a_tile, b_tile, sum);
        } else {
            mma_sync(odd, a_tile, b_tile, odd);
        }
    }
    for (int i = 0; i < sum.num_elements; i++) {
        sum.x[i] += odd.x[i];
    }
    store_matrix_sync(out + row * cols + col, sum, cols, mem_row_major);
}
