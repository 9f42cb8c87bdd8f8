// gemm: multiply two matrices of floats: out = a × b.
//
// a: (rows, inner), b: (inner, cols), out: (rows, cols), row-major. Any sizes.
// Blocks of THREADS threads; a block computes TILE × TILE elements of out.
//
// This kernel is right, and computes its tile in eight strips, 16 columns each. In a
// strip a thread has eight elements of out, one below the other.

#define THREADS 256
#define TILE 128 // rows and columns of out for a block
#define STEP 16  // of inner, fetched at a time

extern "C" __global__ void gemm(const float *a, const float *b, float *out,
                                int rows, int inner, int cols) {
    __shared__ float a_tile[TILE][STEP], b_tile[STEP][16];
    int x = threadIdx.x % 16, y = threadIdx.x / 16;
    int first_row = blockIdx.y * TILE;

    for (int along = 0; along < TILE; along += 16) {
        int col = blockIdx.x * TILE + along + x;
        float sum[8] = {}; // for rows y, y + 16, y + 32 … of the tile
        for (int start = 0; start < inner; start += STEP) {
            for (int i = 0; i < 8; i++) {
                int row = first_row + y + 16 * i;
                a_tile[y + 16 * i][x] =
                    row < rows && start + x < inner ? a[row * inner + start + x] : 0;
            }
            b_tile[y][x] = start + y < inner && col < cols ? b[(start + y) * cols + col] : 0;
            __syncthreads();
            for (int k = 0; k < STEP; k++) {
                float from_b = b_tile[k][x]; // read once, used eight times
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
