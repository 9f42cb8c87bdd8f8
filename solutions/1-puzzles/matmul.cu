// matmul: multiply two matrices.
//
// a: (rows, inner), b: (inner, cols), out: (rows, cols), row-major.
// Blocks of TILE × TILE threads, enough to have a thread for each element of
// out.

#define TILE 3

extern "C" __global__ void matmul(const float *a, const float *b, float *out,
                                  int rows, int inner, int cols) {
    __shared__ float a_tile[TILE][TILE];
    __shared__ float b_tile[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y;
    int col = blockIdx.x * TILE + x;
    int row = blockIdx.y * TILE + y;

    float sum = 0;
    for (int start = 0; start < inner; start += TILE) {
        // One element of each for every thread. Outside the matrices a tile
        // holds zeros, which add nothing: that is the guard for all sizes
        // that are not a multiple of TILE.
        int a_col = start + x;
        int b_row = start + y;
        a_tile[y][x] = row < rows && a_col < inner ? a[row * inner + a_col] : 0;
        b_tile[y][x] = b_row < inner && col < cols ? b[b_row * cols + col] : 0;
        // Both tiles are full before anyone reads them …
        __syncthreads();

        for (int j = 0; j < TILE; j++) {
            sum += a_tile[y][j] * b_tile[j][x];
        }
        // … and read by all before anyone overwrites them in the next round.
        __syncthreads();
    }

    // Threads outside the matrix helped to load; only now may they stop.
    if (row < rows && col < cols) {
        out[row * cols + col] = sum;
    }
}
