// transpose: out[col][row] = in[row][col].
//
// in: (rows, cols), out: (cols, rows), row-major.
// Blocks of TILE × ROWS threads, one for each TILE × TILE elements of in: each
// thread has four elements, ROWS rows apart.

#define TILE 32
#define ROWS 8

extern "C" __global__ void transpose(const float *in, float *out, int rows, int cols) {
    // One column more than is used: then a column of the tile uses 32 banks.
    __shared__ float tile[TILE][TILE + 1];
    int x = threadIdx.x, y = threadIdx.y;

    // Read along the rows of in: x, the lane, is the column. The four reads of
    // a thread are under way at the same time.
    for (int i = 0; i < TILE; i += ROWS) {
        int row = blockIdx.y * TILE + y + i;
        int col = blockIdx.x * TILE + x;
        if (row < rows && col < cols) {
            tile[y + i][x] = in[row * cols + col];
        }
    }
    // What a thread writes, another thread has read.
    __syncthreads();

    // Write along the rows of out: x is the column again. The tile's position is
    // transposed (blockIdx.x says which rows), and so are its elements.
    for (int i = 0; i < TILE; i += ROWS) {
        int out_row = blockIdx.x * TILE + y + i; // a column of in
        int out_col = blockIdx.y * TILE + x;     // a row of in
        if (out_row < cols && out_col < rows) {
            out[out_row * rows + out_col] = tile[x][y + i];
        }
    }
}
