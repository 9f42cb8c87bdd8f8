// The next tile is read into registers before this one is used.
#define TILE 3

extern "C" __global__ void matmul(const float *a, const float *b, float *out,
                                  int rows, int inner, int cols) {
    __shared__ float a_tile[TILE][TILE];
    __shared__ float b_tile[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y;
    int col = blockIdx.x * TILE + x, row = blockIdx.y * TILE + y;
    float next_a = row < rows && x < inner ? a[row * inner + x] : 0;
    float next_b = col < cols && y < inner ? b[y * cols + col] : 0;
    float sum = 0;
    for (int start = 0; start < inner; start += TILE) {
        a_tile[y][x] = next_a;
        b_tile[y][x] = next_b;
        __syncthreads();
        int then = start + TILE;
        if (then < inner) {
            next_a = row < rows && then + x < inner ? a[row * inner + then + x] : 0;
            next_b = col < cols && then + y < inner ? b[(then + y) * cols + col] : 0;
        }
        for (int j = 0; j < TILE; j++) {
            sum += a_tile[y][j] * b_tile[j][x];
        }
        __syncthreads();
    }
    if (row < rows && col < cols) {
        out[row * cols + col] = sum;
    }
}
