// Multiplies by the number of rows: right for square matrices only.
extern "C" __global__ void map_2d(const float *in, float *out, int rows, int cols) {
    int col = threadIdx.x;
    int row = threadIdx.y;
    if (row < rows && col < cols) {
        int i = row * rows + col;
        out[i] = in[i] + 10 * row + col; //~ global-race
    }
}
