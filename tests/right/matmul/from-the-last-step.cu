// From the last tiles along inner to the first; row and column by pointers.
#define TILE 3

extern "C" __global__ void matmul(const float *a, const float *b, float *out,
                                  int rows, int inner, int cols) {
    __shared__ float a_tile[TILE][TILE];
    __shared__ float b_tile[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y;
    int col = blockIdx.x * TILE + x;
    int row = blockIdx.y * TILE + y;

    float sum = 0;
    int steps = (inner + TILE - 1) / TILE;
    for (int step = steps - 1; step >= 0; step--) {
        int start = step * TILE;
        int a_col = start + x;
        int b_row = start + y;
        a_tile[y][x] = row < rows && a_col < inner ? a[row * inner + a_col] : 0;
        b_tile[y][x] = b_row < inner && col < cols ? b[b_row * cols + col] : 0;
        __syncthreads();

        for (int j = 0; j < TILE; j++) {
            const float *along = a_tile[y], *down = &b_tile[0][x];
            sum = fmaf(along[j], down[j * TILE], sum);
        }
        __syncthreads();
    }

    if (row < rows && col < cols) {
        out[row * cols + col] = sum;
    }
}
