// wmma_matmul: multiply two matrices on the tensor cores.
//
// a: (rows, inner), b: (inner, cols), both of __half; out: (rows, cols) of float.
// All row-major, all sizes multiples of 16.
// A block is one warp, and computes the 16×16 tile (blockIdx.y, blockIdx.x) of out.

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

    // A fragment is a variable like any other: it does not start out as zero.
    fill_fragment(sum, 0.0f);
    for (int start = 0; start < inner; start += TILE) {
        // Where a tile begins, and how long the rows are that it is part of.
        load_matrix_sync(a_tile, a + row * inner + start, inner);
        load_matrix_sync(b_tile, b + start * cols + col, cols);
        // 4096 products, added in float. No barrier: a warp waits for itself.
        mma_sync(sum, a_tile, b_tile, sum);
    }
    store_matrix_sync(out + row * cols + col, sum, cols, mem_row_major);
}
