// Right, 16×16 elements at a time, from tiles in shared memory: one sum a thread.
#define TILE 128
#define SMALL 16

extern "C" __global__ void gemm(const float *a, const float *b, float *out, //~ too-much-work: shared_reads
                                int rows, int inner, int cols) {
    __shared__ float a_tile[SMALL][SMALL], b_tile[SMALL][SMALL];
    int x = threadIdx.x % SMALL, y = threadIdx.x / SMALL;
    for (int down = 0; down < TILE; down += SMALL) {
        for (int along = 0; along < TILE; along += SMALL) {
            int row = blockIdx.y * TILE + down + y;
            int col = blockIdx.x * TILE + along + x;
            float sum = 0;
            for (int start = 0; start < inner; start += SMALL) {
                a_tile[y][x] = row < rows && start + x < inner ? a[row * inner + start + x] : 0;
                b_tile[y][x] = start + y < inner && col < cols ? b[(start + y) * cols + col] : 0;
                __syncthreads();
                for (int k = 0; k < SMALL; k++) {
                    sum += a_tile[y][k] * b_tile[k][x];
                }
                __syncthreads();
            }
            if (row < rows && col < cols) {
                out[row * cols + col] = sum;
            }
        }
    }
}
