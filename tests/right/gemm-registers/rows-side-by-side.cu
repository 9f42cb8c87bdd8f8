// A thread has eight rows side by side.
#define THREADS 256
#define TILE 128 // rows and columns of out for a block
#define STEP 16  // of inner, fetched at a time

extern "C" __global__ void gemm(const float *a, const float *b, float *out,
                                int rows, int inner, int cols) {
    __shared__ float a_tile[TILE][STEP], b_tile[STEP][TILE];
    int x = threadIdx.x % 16, y = threadIdx.x / 16;
    int first_row = blockIdx.y * TILE, first_col = blockIdx.x * TILE;

    float sum[8][8] = {};
    for (int start = 0; start < inner; start += STEP) {
        for (int i = 0; i < 8; i++) {
            int row = first_row + y + 16 * i, col = first_col + x + 16 * i;
            a_tile[y + 16 * i][x] =
                row < rows && start + x < inner ? a[row * inner + start + x] : 0;
            b_tile[y][x + 16 * i] =
                start + y < inner && col < cols ? b[(start + y) * cols + col] : 0;
        }
        __syncthreads();
        for (int k = 0; k < STEP; k++) {
            float down[8], along[8];
            for (int i = 0; i < 8; i++) {
                down[i] = a_tile[8 * y + i][k];
                along[i] = b_tile[k][x + 16 * i];
            }
            for (int i = 0; i < 8; i++) {
                for (int j = 0; j < 8; j++) {
                    sum[i][j] += down[i] * along[j];
                }
            }
        }
        __syncthreads();
    }

    for (int i = 0; i < 8; i++) {
        for (int j = 0; j < 8; j++) {
            int row = first_row + 8 * y + i, col = first_col + x + 16 * j;
            if (row < rows && col < cols) {
                out[row * cols + col] = sum[i][j];
            }
        }
    }
}
