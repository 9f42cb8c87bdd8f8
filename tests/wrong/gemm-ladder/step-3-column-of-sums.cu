// Right, the third step: a thread has eight sums, one below the other.
#define TILE 128
#define SMALL 16

extern "C" __global__ void gemm(const float *a, const float *b, float *out, //~ too-much-work: shared_reads
                                int rows, int inner, int cols) {
    __shared__ float a_tile[TILE][SMALL], b_tile[SMALL][SMALL];
    int x = threadIdx.x % SMALL, y = threadIdx.x / SMALL;
    int first_row = blockIdx.y * TILE;
    for (int along = 0; along < TILE; along += SMALL) {
        int col = blockIdx.x * TILE + along + x;
        float sum[8] = {};
        for (int start = 0; start < inner; start += SMALL) {
            for (int i = 0; i < 8; i++) {
                int row = first_row + y + 16 * i;
                a_tile[y + 16 * i][x] =
                    row < rows && start + x < inner ? a[row * inner + start + x] : 0;
            }
            b_tile[y][x] = start + y < inner && col < cols ? b[(start + y) * cols + col] : 0;
            __syncthreads();
            for (int k = 0; k < SMALL; k++) {
                float from_b = b_tile[k][x];
                for (int i = 0; i < 8; i++) {
                    sum[i] += a_tile[y + 16 * i][k] * from_b;
                }
            }
            __syncthreads();
        }
        for (int i = 0; i < 8; i++) {
            int row = first_row + y + 16 * i;
            if (row < rows && col < cols) {
                out[row * cols + col] = sum[i];
            }
        }
    }
}
