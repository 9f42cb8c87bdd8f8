// One lane after the other: so no two meet in a bank.
#define TILE 32
#define ROWS 8

extern "C" __global__ void transpose(const float *in, float *out, int rows, int cols) { //~ too-much-work: warp_instructions
    __shared__ float tile[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y;
    for (int i = 0; i < TILE; i += ROWS) {
        int row = blockIdx.y * TILE + y + i, col = blockIdx.x * TILE + x;
        if (row < rows && col < cols) {
            tile[y + i][x] = in[row * cols + col];
        }
    }
    __syncthreads();
    for (int i = 0; i < TILE; i += ROWS) {
        int out_row = blockIdx.x * TILE + y + i, out_col = blockIdx.y * TILE + x;
        float value = 0;
        for (int lane = 0; lane < 32; lane++) {
            if (x == lane && out_row < cols && out_col < rows) {
                value = ((volatile float *)tile[x])[y + i];
            }
            __syncwarp();
        }
        if (out_row < cols && out_col < rows) {
            out[out_row * rows + out_col] = value;
        }
    }
}
