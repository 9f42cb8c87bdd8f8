// Takes x for the row: the block is too low for a wide matrix.
extern "C" __global__ void map_2d(const float *in, float *out, int rows, int cols) {
    int row = threadIdx.x;
    int col = threadIdx.y;
    if (row < rows && col < cols) {
        int i = row * cols + col;
        out[i] = in[i] + 10 * row + col; //~ wrong-result: exchanged-threads
    }
}
