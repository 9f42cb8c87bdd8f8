// Guards the number in the block, not the row.
#define TILE 32

extern "C" __global__ void row_sums(const float *in, float *out, int rows, int cols) {
    __shared__ float tile[TILE][TILE + 1];
    int t = threadIdx.x;
    int first = blockIdx.x * TILE;
    float sum = 0;

    for (int start = 0; start < cols; start += TILE) {
        int col = start + t;
        for (int r = 0; r < TILE; r++) {
            int row = first + r;
            tile[r][t] = row < rows && col < cols ? in[row * cols + col] : 0;
        }
        __syncthreads();

        for (int c = 0; c < TILE; c++) {
            sum += tile[t][c];
        }
        __syncthreads();
    }

    if (t < rows) {
        out[first + t] = sum; //~ out-of-bounds
    }
}
