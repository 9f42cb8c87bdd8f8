// Leaves the tiles as they are where the matrices end.
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
        if (row < rows && start + x < inner) {
            a_tile[y][x] = a[row * inner + start + x];
        }
        if (start + y < inner && col < cols) {
            b_tile[y][x] = b[(start + y) * cols + col];
        }
        __syncthreads();
        for (int j = 0; j < TILE; j++) {
            sum += a_tile[y][j] * b_tile[j][x]; //~ uninitialised-read
        }
        __syncthreads();
    }
    if (row < rows && col < cols) {
        out[row * cols + col] = sum;
    }
}
