// Threads outside the result leave at once, and load nothing into the tiles.
#define TILE 3
extern "C" __global__ void matmul(const float *a, const float *b, float *out,
                                  int rows, int inner, int cols) {
    __shared__ float a_tile[TILE][TILE];
    __shared__ float b_tile[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y;
    int col = blockIdx.x * TILE + x;
    int row = blockIdx.y * TILE + y;
    if (row >= rows || col >= cols) {
        return;
    }
    float sum = 0;
    for (int start = 0; start < inner; start += TILE) {
        a_tile[y][x] = start + x < inner ? a[row * inner + start + x] : 0;
        b_tile[y][x] = start + y < inner ? b[(start + y) * cols + col] : 0;
        __syncthreads();
        for (int j = 0; j < TILE; j++) {
            sum += a_tile[y][j] * b_tile[j][x]; //~ uninitialised-read
        }
        __syncthreads();
    }
    out[row * cols + col] = sum;
}
