// A comma in the index, as in NumPy: in C++ it means the last of the two alone.
extern "C" __global__ void map_2d(const float *in, float *out, int rows, int cols) {
    int col = threadIdx.x;
    int row = threadIdx.y;
    if (row < rows && col < cols) {
        out[row, col] = in[row, col] + 10 * row + col; //~ global-race
    }
}
