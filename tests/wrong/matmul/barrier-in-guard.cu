// Only threads with an element of the result wait for the tiles.
#define TILE 3

extern "C" __global__ void matmul(const float *a, const float *b, float *out,
                                  int rows, int inner, int cols) {
    __shared__ float a_tile[TILE][TILE];
    __shared__ float b_tile[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y;
    int col = blockIdx.x * TILE + x;
    int row = blockIdx.y * TILE + y;

    float sum = 0;
    for (int start = 0; start < inner; start += TILE) {
        int a_col = start + x;
        int b_row = start + y;
        a_tile[y][x] = row < rows && a_col < inner ? a[row * inner + a_col] : 0;
        b_tile[y][x] = b_row < inner && col < cols ? b[b_row * cols + col] : 0;
        if (row < rows && col < cols) __syncthreads(); //~ divergent-barrier

        for (int j = 0; j < TILE; j++) {
            sum += a_tile[y][j] * b_tile[j][x];
        }
        __syncthreads();
    }

    if (row < rows && col < cols) {
        out[row * cols + col] = sum;
    }
}
