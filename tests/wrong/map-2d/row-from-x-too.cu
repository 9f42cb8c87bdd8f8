// Takes row and column from the same number.
extern "C" __global__ void map_2d(const float *in, float *out, int rows, int cols) {
    int col = threadIdx.x;
    int row = threadIdx.x;
    if (row < rows && col < cols) {
        int i = row * cols + col;
        out[i] = in[i] + 10 * row + col; //~ wrong-result: partly-written
    }
}
