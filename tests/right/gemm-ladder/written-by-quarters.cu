// The result is written quarter by quarter; fused products.
#define THREADS 256
#define TILE 128 // rows and columns of out for a block
#define STEP 8   // of inner, fetched at a time
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

    float4 next_a = fetch(a, first_row + a_row, a_k, rows, inner);
    float4 next_b = fetch(b, b_k, first_col + b_col, inner, cols);
    int now = 0;
    for (int start = 0; start < inner; start += STEP) {
        a_tile[now][a_k + 0][a_row] = next_a.x;
        a_tile[now][a_k + 1][a_row] = next_a.y;
        a_tile[now][a_k + 2][a_row] = next_a.z;
        a_tile[now][a_k + 3][a_row] = next_a.w;
        *(float4 *)&b_tile[now][b_k][b_col] = next_b;
        __syncthreads();

        next_a = fetch(a, first_row + a_row, start + STEP + a_k, rows, inner);
        next_b = fetch(b, start + STEP + b_k, first_col + b_col, inner, cols);

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
                    sum[i][j] = fmaf(along[j], down[i], sum[i][j]);
                }
            }
        }
        now = 1 - now;
    }

#pragma unroll
    for (int quarter = 0; quarter < 4; quarter++) {
        int i0 = quarter / 2 * 4, j0 = quarter % 2 * 4;
        int row0 = first_row + y + quarter / 2 * (TILE / 2);
        int col = first_col + x + quarter % 2 * (TILE / 2);
        for (int i = 0; i < 4 && col < cols && row0 + i < rows; i++) {
            float *s = &sum[i0 + i][j0];
            float4 four = make_float4(s[0], s[1], s[2], s[3]);
            *(float4 *)(out + (long long)(row0 + i) * cols + col) = four;
        }
    }
}
