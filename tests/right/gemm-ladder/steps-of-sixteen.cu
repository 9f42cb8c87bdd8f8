// Steps of sixteen: half the barriers, and two pieces of either on the way.
#define THREADS 256
#define TILE 128 // rows and columns of out for a block
#define STEP 16
#define PAD 4    // keeps columns of a_tile apart in the banks, and rows at 16 bytes

__device__ float4 fetch(const float *matrix, int row, int col, int rows, int cols) {
    if (row < rows && col < cols) {
        return *(const float4 *)(matrix + (long long)row * cols + col);
    }
    return make_float4(0, 0, 0, 0);
}

extern "C" __global__ __launch_bounds__(THREADS, 2) void
gemm(const float *a, const float *b, float *out, int rows, int inner, int cols) {
    __shared__ __align__(16) float a_tile[2][STEP][TILE + PAD];
    __shared__ __align__(16) float b_tile[2][STEP][TILE];

    int t = threadIdx.x;
    int first_row = blockIdx.y * TILE, first_col = blockIdx.x * TILE;

    int a_row = t / 2, a_k = t % 2 * 4;
    int b_k = t / 32, b_col = t % 32 * 4;

    int x = t % 16 * 4, y = t / 16 * 4;
    float sum[8][8] = {};

    float4 next_a[2], next_b[2];
    for (int h = 0; h < 2; h++) {
        next_a[h] = fetch(a, first_row + a_row, 8 * h + a_k, rows, inner);
        next_b[h] = fetch(b, 8 * h + b_k, first_col + b_col, inner, cols);
    }
    int now = 0;
    for (int start = 0; start < inner; start += STEP) {
        for (int h = 0; h < 2; h++) {
            a_tile[now][8 * h + a_k + 0][a_row] = next_a[h].x;
            a_tile[now][8 * h + a_k + 1][a_row] = next_a[h].y;
            a_tile[now][8 * h + a_k + 2][a_row] = next_a[h].z;
            a_tile[now][8 * h + a_k + 3][a_row] = next_a[h].w;
            *(float4 *)&b_tile[now][8 * h + b_k][b_col] = next_b[h];
        }
        __syncthreads();

        for (int h = 0; h < 2; h++) {
            int k = start + STEP + 8 * h;
            next_a[h] = fetch(a, first_row + a_row, k + a_k, rows, inner);
            next_b[h] = fetch(b, k + b_k, first_col + b_col, inner, cols);
        }

#pragma unroll
        for (int k = 0; k < STEP; k++) {
            float4 a_low = *(float4 *)&a_tile[now][k][y];
            float4 a_high = *(float4 *)&a_tile[now][k][y + TILE / 2];
            float4 b_low = *(float4 *)&b_tile[now][k][x];
            float4 b_high = *(float4 *)&b_tile[now][k][x + TILE / 2];
            float down[8] = {a_low.x,  a_low.y,  a_low.z,  a_low.w,
                             a_high.x, a_high.y, a_high.z, a_high.w};
            float along[8] = {b_low.x,  b_low.y,  b_low.z,  b_low.w,
                              b_high.x, b_high.y, b_high.z, b_high.w};
            for (int i = 0; i < 8; i++) {
                for (int j = 0; j < 8; j++) {
                    sum[i][j] += down[i] * along[j];
                }
            }
        }
        now = 1 - now;
    }

    for (int i = 0; i < 8; i++) {
        int row = first_row + y + i % 4 + i / 4 * (TILE / 2);
        for (int j = 0; j < 8; j += 4) {
            int col = first_col + x + j / 4 * (TILE / 2);
            if (row < rows && col < cols) {
                *(float4 *)(out + (long long)row * cols + col) =
                    make_float4(sum[i][j], sum[i][j + 1], sum[i][j + 2], sum[i][j + 3]);
            }
        }
    }
}
