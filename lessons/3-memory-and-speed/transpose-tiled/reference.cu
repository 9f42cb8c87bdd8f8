// out[col][row] = in[row][col].
extern "C" __global__ void transpose(const float *in, float *out, int rows, int cols) {
    for (int y = threadIdx.y; y < 32; y += blockDim.y) {
        int col = blockIdx.x * 32 + threadIdx.x;
        int row = blockIdx.y * 32 + y;
        if (row < rows && col < cols) {
            out[col * rows + row] = in[row * cols + col];
        }
    }
}
