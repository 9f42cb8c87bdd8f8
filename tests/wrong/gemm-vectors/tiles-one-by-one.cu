// Right, but only the fetching is by four.
#define THREADS 256
#define TILE 128
#define STEP 8
#define PAD 4

__device__ float4 fetch(const float *matrix, int row, int col, int rows, int cols) {
    if (row < rows && col < cols) {
        return *(const float4 *)(matrix + (long long)row * cols + col);
    }
    return make_float4(0, 0, 0, 0);
}

extern "C" __global__ __launch_bounds__(THREADS, 2) void
gemm(const float *a, const float *b, float *out, int rows, int inner, int cols) { //~ too-much-work: shared_reads
    __shared__ __align__(16) float a_tile[STEP][TILE + PAD];
    __shared__ __align__(16) float b_tile[STEP][TILE];
    int t = threadIdx.x;
    int first_row = blockIdx.y * TILE, first_col = blockIdx.x * TILE;

    int a_row = t / 2, a_k = t % 2 * 4;
    int b_k = t / 32, b_col = t % 32 * 4;

    int x = t % 16, y = t / 16;
    float sum[8][8] = {};

    for (int start = 0; start < inner; start += STEP) {
        float4 from_a = fetch(a, first_row + a_row, start + a_k, rows, inner);
        float4 from_b = fetch(b, start + b_k, first_col + b_col, inner, cols);
        a_tile[a_k + 0][a_row] = from_a.x;
        a_tile[a_k + 1][a_row] = from_a.y;
        a_tile[a_k + 2][a_row] = from_a.z;
        a_tile[a_k + 3][a_row] = from_a.w;
        *(float4 *)&b_tile[b_k][b_col] = from_b;
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
