// Each thread goes on in steps of the whole grid, in both directions.
extern "C" __global__ void blocks_2d(const float *in, float *out, int rows, int cols) {
    for (int row = blockIdx.y * blockDim.y + threadIdx.y; row < rows; row += gridDim.y * blockDim.y) {
        for (int col = blockIdx.x * blockDim.x + threadIdx.x; col < cols; col += gridDim.x * blockDim.x) {
            out[row * cols + col] = in[row * cols + col] + 10 * row + col;
        }
    }
}
