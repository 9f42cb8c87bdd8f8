// transpose: out[col][row] = in[row][col].
//
// in: (rows, cols), out: (cols, rows), row-major.
// Blocks of TILE × TILE threads, which cover the matrix in.
//
// This kernel is right, but a warp writes down a column of out.

#define TILE 32

extern "C" __global__ void transpose(const float *in, float *out, int rows, int cols) {
    int col = blockIdx.x * TILE + threadIdx.x;
    int row = blockIdx.y * TILE + threadIdx.y;
    if (row < rows && col < cols) {
        out[col * rows + row] = in[row * cols + col];
    }
}
