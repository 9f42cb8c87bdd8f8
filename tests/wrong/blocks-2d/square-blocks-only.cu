// Uses the block's width for its height: right for square blocks only.
extern "C" __global__ void blocks_2d(const float *in, float *out, int rows, int cols) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.x + threadIdx.y;
    if (row < rows && col < cols) {
        int i = row * cols + col;
        out[i] = in[i] + 10 * row + col; //~ wrong-result: partly-written
    }
}
