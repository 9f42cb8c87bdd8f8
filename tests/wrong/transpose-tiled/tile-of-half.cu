// Keeps the tile in half precision.

#define TILE 32
#define ROWS 8

#include <cuda_fp16.h>
extern "C" __global__ void transpose(const float *in, float *out, int rows, int cols) {
    // One column more than is used: then a column of the tile meets 32 banks.
    __shared__ __half tile[TILE][TILE + 2]; //~ wrong-result
    int x = threadIdx.x, y = threadIdx.y;

    // Read along the rows of in: x, the lane, is the column. The four reads of
    // a thread are under way at the same time.
    for (int i = 0; i < TILE; i += ROWS) {
        int row = blockIdx.y * TILE + y + i;
        int col = blockIdx.x * TILE + x;
        if (row < rows && col < cols) {
            tile[y + i][x] = __float2half(in[row * cols + col]);
        }
    }
    // What a thread writes, another thread has read.
    __syncthreads();

    // Write along the rows of out: x is the column again. The tile's own place
    // is transposed (blockIdx.x says which rows), and so is what is in it.
    for (int i = 0; i < TILE; i += ROWS) {
        int out_row = blockIdx.x * TILE + y + i; // a column of in
        int out_col = blockIdx.y * TILE + x;     // a row of in
        if (out_row < cols && out_col < rows) {
            out[out_row * rows + out_col] = __half2float(tile[x][y + i]);
        }
    }
}
