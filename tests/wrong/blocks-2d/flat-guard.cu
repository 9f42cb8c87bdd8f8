// Guards the flat index: surplus columns do elements of the next row again.
extern "C" __global__ void blocks_2d(const float *in, float *out, int rows, int cols) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int i = row * cols + col;
    if (i < rows * cols) {
        out[i] = in[i] + 10 * row + col; //~ global-race
    }
}
