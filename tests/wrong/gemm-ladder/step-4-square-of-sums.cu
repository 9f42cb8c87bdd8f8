// Right, the fourth step: 8×8 sums a thread, but everything is moved one by one.
#define THREADS 256
#define TILE 128
#define STEP 8

extern "C" __global__ __launch_bounds__(THREADS, 2) void
gemm(const float *a, const float *b, float *out, int rows, int inner, int cols) { //~ too-much-work: load_requests
    __shared__ float a_tile[STEP][TILE + 1], b_tile[STEP][TILE];
    int t = threadIdx.x;
    int x = t % 16, y = t / 16;
    int first_row = blockIdx.y * TILE, first_col = blockIdx.x * TILE;
    float sum[8][8] = {};
    for (int start = 0; start < inner; start += STEP) {
        for (int i = t; i < TILE * STEP; i += THREADS) {
            int row = first_row + i / STEP, k = start + i % STEP;
            a_tile[i % STEP][i / STEP] = row < rows && k < inner ? a[row * inner + k] : 0;
        }
        for (int i = t; i < TILE * STEP; i += THREADS) {
            int k = start + i / TILE, col = first_col + i % TILE;
            b_tile[i / TILE][i % TILE] = k < inner && col < cols ? b[k * cols + col] : 0;
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < STEP; k++) {
            float down[8], along[8];
            for (int i = 0; i < 8; i++) {
                down[i] = a_tile[k][y + 16 * i];
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
            int row = first_row + y + 16 * i, col = first_col + x + 16 * j;
            if (row < rows && col < cols) {
                out[row * cols + col] = sum[i][j];
            }
        }
    }
}
