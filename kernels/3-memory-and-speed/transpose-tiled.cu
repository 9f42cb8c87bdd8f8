// transpose: out[col][row] = in[row][col].
//
// in: (rows, cols), out: (cols, rows), row-major.
// Blocks of TILE × ROWS threads, one for each TILE × TILE elements of in: each
// thread has four elements, ROWS rows apart.
//
// This kernel is right, but a warp writes down a column of out.

#define TILE 32
#define ROWS 8

extern "C" __global__ void transpose(const float *in, float *out, int rows, int cols) {
    int x = threadIdx.x, y = threadIdx.y;
    for (int i = 0; i < TILE; i += ROWS) {
        int row = blockIdx.y * TILE + y + i;
        int col = blockIdx.x * TILE + x;
        if (row < rows && col < cols) {
            out[col * rows + row] = in[row * cols + col];
        }
    }
}
