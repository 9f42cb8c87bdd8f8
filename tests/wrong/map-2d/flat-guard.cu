// Guards the flat index: the surplus column does elements of the next row again.
extern "C" __global__ void map_2d(const float *in, float *out, int rows, int cols) {
    int col = threadIdx.x;
    int row = threadIdx.y;
    int i = row * cols + col;
    if (i < rows * cols) {
        out[i] = in[i] + 10 * row + col; //~ global-race
    }
}
