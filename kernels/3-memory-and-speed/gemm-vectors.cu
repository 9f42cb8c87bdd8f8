// gemm: multiply two matrices of floats: out = a × b.
//
// a: (rows, inner), b: (inner, cols), out: (rows, cols), row-major.
// inner and cols are multiples of 4, rows is any number.
// Blocks of THREADS threads; a block computes TILE × TILE elements of out.
//
// This kernel is right, and has 8×8 sums a thread; but it reads its numbers one
// by one. Read four at a time.

#define THREADS 256
#define TILE 128 // rows and columns of out for a block
#define STEP 8   // of inner, fetched at a time

// Four neighbours of a row, or zeros where the matrix has ended. (Not used yet.
// long long, since a large matrix has more elements than an int can count.)
__device__ float4 fetch(const float *matrix, int row, int col, int rows, int cols) {
    if (row < rows && col < cols) {
        return *(const float4 *)(matrix + (long long)row * cols + col);
    }
    return make_float4(0, 0, 0, 0);
}

// __launch_bounds__: at most THREADS threads a block, and room for two blocks on
// a multiprocessor, so that one computes while the other waits. For that, a thread
// may use 128 registers.
extern "C" __global__ __launch_bounds__(THREADS, 2) void
gemm(const float *a, const float *b, float *out, int rows, int inner, int cols) {
    // a's tile is transposed: a_tile[k][row].
    __shared__ float a_tile[STEP][TILE + 1], b_tile[STEP][TILE];
    int t = threadIdx.x;
    int x = t % 16, y = t / 16;
    int first_row = blockIdx.y * TILE, first_col = blockIdx.x * TILE;

    // For rows y, y + 16 … and columns x, x + 16 … of the tile.
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

        // Written out eight times, so that the reads of one k are under way while
        // the one before is multiplied.
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
