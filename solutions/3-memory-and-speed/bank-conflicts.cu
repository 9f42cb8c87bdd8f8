// row_sums: out[row] = the sum of a row.
//
// in: (rows, cols), row-major. out: rows floats.
// A block is one warp of TILE threads, and has TILE rows.

#define TILE 32

extern "C" __global__ void row_sums(const float *in, float *out, int rows, int cols) {
    // One float more than is used: each row begins one bank further on than the
    // row above, so a column uses every bank once, as a row does.
    __shared__ float tile[TILE][TILE + 1];
    int t = threadIdx.x;
    int first = blockIdx.x * TILE; // the block's first row
    float sum = 0;

    for (int start = 0; start < cols; start += TILE) {
        // Fill: the whole warp reads along one row after the other. Zeros for
        // what lies outside.
        int col = start + t;
        for (int r = 0; r < TILE; r++) {
            int row = first + r;
            tile[r][t] = row < rows && col < cols ? in[row * cols + col] : 0;
        }
        __syncthreads(); // the tile is full

        // Add: each thread its own row of the tile.
        for (int c = 0; c < TILE; c++) {
            sum += tile[t][c];
        }
        __syncthreads(); // the tile is used up
    }

    if (first + t < rows) {
        out[first + t] = sum;
    }
}
