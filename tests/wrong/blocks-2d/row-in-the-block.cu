// Adds row and column of the thread in its block.
extern "C" __global__ void blocks_2d(const float *in, float *out, int rows, int cols) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && col < cols) {
        int i = row * cols + col;
        out[i] = in[i] + 10 * threadIdx.y + threadIdx.x; //~ wrong-result: first-block-only
    }
}
