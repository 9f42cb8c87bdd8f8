// Compares the row with the number of columns, and the other way round.
extern "C" __global__ void map_2d(const float *in, float *out, int rows, int cols) {
    int col = threadIdx.x;
    int row = threadIdx.y;
    if (row < cols && col < rows) {
        int i = row * cols + col;
        out[i] = in[i] + 10 * row + col; //~ out-of-bounds
    }
}
