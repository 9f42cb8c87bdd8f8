// Right, but a row more, not a column: the rows are as long as before.
#define TILE 32
#define ROWS 8

extern "C" __global__ void transpose(const float *in, float *out, int rows, int cols) { //~ too-much-work: bank_conflicts
    __shared__ float tile[TILE + 1][TILE];
    int x = threadIdx.x, y = threadIdx.y;

    for (int i = 0; i < TILE; i += ROWS) {
        int row = blockIdx.y * TILE + y + i;
        int col = blockIdx.x * TILE + x;
        if (row < rows && col < cols) {
            tile[y + i][x] = in[row * cols + col];
        }
    }
    __syncthreads();

    for (int i = 0; i < TILE; i += ROWS) {
        int out_row = blockIdx.x * TILE + y + i;
        int out_col = blockIdx.y * TILE + x;
        if (out_row < cols && out_col < rows) {
            out[out_row * rows + out_col] = tile[x][y + i];
        }
    }
}
