// gemm: multiply two matrices of floats: out = a × b.
//
// a: (rows, inner), b: (inner, cols), out: (rows, cols), row-major.
// inner and cols are multiples of 4, rows is any number.
// Blocks of THREADS threads; a block computes TILE × TILE elements of out.

#define THREADS 256
#define TILE 128 // rows and columns of out for a block
#define STEP 8   // of inner, fetched at a time
#define PAD 4    // keeps columns of a_tile apart in the banks, and rows at 16 bytes

// Four neighbours of a row, or zeros where the matrix has ended.
__device__ float4 fetch(const float *matrix, int row, int col, int rows, int cols) {
    if (row < rows && col < cols) {
        return *(const float4 *)(matrix + (long long)row * cols + col);
    }
    return make_float4(0, 0, 0, 0);
}

// With two blocks on a multiprocessor, one computes while the other waits: for
// that, a thread may use 128 registers.
extern "C" __global__ __launch_bounds__(THREADS, 2) void
gemm(const float *a, const float *b, float *out, int rows, int inner, int cols) {
    // Two of each: one is computed from while the other is filled. a's tile is
    // transposed, so that what a thread needs of one step lies side by side.
    __shared__ __align__(16) float a_tile[2][STEP][TILE + PAD];
    __shared__ __align__(16) float b_tile[2][STEP][TILE];

    int t = threadIdx.x;
    int first_row = blockIdx.y * TILE, first_col = blockIdx.x * TILE;

    // Who fetches what: each thread one float4 of a and one of b.
    int a_row = t / 2, a_k = t % 2 * 4;
    int b_k = t / 32, b_col = t % 32 * 4;

    // Who computes what: 8 × 8 elements, in four squares of 4 × 4, which lie
    // half a tile apart. So each square's side is one float4, and neighbouring
    // threads read neighbouring ones.
    int x = t % 16 * 4, y = t / 16 * 4;
    float sum[8][8] = {};

    float4 next_a = fetch(a, first_row + a_row, a_k, rows, inner);
    float4 next_b = fetch(b, b_k, first_col + b_col, inner, cols);
    int now = 0;
    for (int start = 0; start < inner; start += STEP) {
        // What was fetched during the last step goes to the tile that nobody
        // reads: the other one may still be in use by slower warps.
        a_tile[now][a_k + 0][a_row] = next_a.x;
        a_tile[now][a_k + 1][a_row] = next_a.y;
        a_tile[now][a_k + 2][a_row] = next_a.z;
        a_tile[now][a_k + 3][a_row] = next_a.w;
        *(float4 *)&b_tile[now][b_k][b_col] = next_b;
        // One barrier a step is enough: whoever is past it knows that all have
        // finished the step before, so in the next step that tile may be filled.
        __syncthreads();

        // The next fetch is under way while this step is computed: its result
        // is not needed until the next round of the loop. (Past the end: zeros.)
        next_a = fetch(a, first_row + a_row, start + STEP + a_k, rows, inner);
        next_b = fetch(b, start + STEP + b_k, first_col + b_col, inner, cols);

        // Written out eight times, so that the reads of one k are under way while
        // the one before is computed.
#pragma unroll
        for (int k = 0; k < STEP; k++) {
            // 16 numbers, in four reads, for 64 products.
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
