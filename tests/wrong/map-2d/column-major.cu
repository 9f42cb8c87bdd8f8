// Lays the matrix out column by column: one element for each thread, but not its own.
extern "C" __global__ void map_2d(const float *in, float *out, int rows, int cols) {
    int col = threadIdx.x;
    int row = threadIdx.y;
    if (row < rows && col < cols) {
        int i = col * rows + row;
        out[i] = in[i] + 10 * row + col; //~ wrong-result: exchanged-index
    }
}
