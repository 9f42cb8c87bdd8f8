// transpose_fours: out[col][row] = in[row][col], for large matrices.
//
// in: (rows, cols), out: (cols, rows), row-major; rows and cols are multiples of 64.
// Blocks of 256 threads, (cols / 64, rows / 64) of them.
//
// The lesson's kernel (transpose-tiled) with a tile of 64×64, read and written by float4: each row of a tile is 256
// bytes in a row of memory, in place of 128.

extern "C" __global__ __launch_bounds__(256) void transpose_fours(const float *in, float *out, int rows, int cols) {
    __shared__ float tile[64][64 + 1];
    const int x = threadIdx.x % 16 * 4, y = threadIdx.x / 16;
    const int first_row = blockIdx.y * 64, first_col = blockIdx.x * 64;

    // All four reads of a thread are under way before the first is stored.
    float4 from[4];
#pragma unroll
    for (int i = 0; i < 4; i++) {
        from[i] = *(const float4 *)(in + (long long)(first_row + y + 16 * i) * cols + first_col + x);
    }
#pragma unroll
    for (int i = 0; i < 4; i++) {
        float *to = &tile[y + 16 * i][x];
        to[0] = from[i].x;
        to[1] = from[i].y;
        to[2] = from[i].z;
        to[3] = from[i].w;
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 4; i++) {
        const int c = y + 16 * i;
        *(float4 *)(out + (long long)(first_col + c) * rows + first_row + x) =
            make_float4(tile[x][c], tile[x + 1][c], tile[x + 2][c], tile[x + 3][c]);
    }
}
