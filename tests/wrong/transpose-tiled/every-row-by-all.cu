// Goes on row by row, though the next warp does the next row.
#define TILE 32
#define ROWS 8

extern "C" __global__ void transpose(const float *in, float *out, int rows, int cols) {
    __shared__ float tile[TILE][TILE + 1];
    int x = threadIdx.x, y = threadIdx.y;

    for (int i = 0; i < TILE; i++) {
        int row = blockIdx.y * TILE + y + i;
        int col = blockIdx.x * TILE + x;
        if (row < rows && col < cols) {
            tile[y + i][x] = in[row * cols + col]; //~ shared-out-of-bounds
        }
    }
    __syncthreads();

    for (int i = 0; i < TILE; i++) {
        int out_row = blockIdx.x * TILE + y + i;
        int out_col = blockIdx.y * TILE + x;
        if (out_row < cols && out_col < rows) {
            out[out_row * rows + out_col] = tile[x][y + i];
        }
    }
}
