// Adds 10 times the column and the row.
// blocks_2d: add 10 * col + row to every element of a matrix, with many blocks.
//
// in, out: (rows, cols), row-major.
// A grid of blocks in both directions, enough to cover the matrix.

extern "C" __global__ void blocks_2d(const float *in, float *out, int rows, int cols) {
    // The formula of one dimension, once for each: a block may be wider than
    // high, so x and y each use their own blockDim.
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    // The blocks at the right and bottom edges overhang the matrix.
    if (row < rows && col < cols) {
        int i = row * cols + col;
        out[i] = in[i] + 10 * col + row; //~ wrong-result
    }
}
