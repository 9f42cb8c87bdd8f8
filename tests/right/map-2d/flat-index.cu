// The thread's number in the block is the index; row and column come from it.
extern "C" __global__ void map_2d(const float *in, float *out, int rows, int cols) {
    int i = threadIdx.y * blockDim.x + threadIdx.x;
    if (i < rows * cols) {
        int row = i / cols, col = i % cols;
        out[i] = in[i] + 10 * row + col;
    }
}
