// Each thread goes on in steps of the whole grid, in both directions.
extern "C" __global__ void blocks_2d(const float *in, float *out, int rows, int cols) {
    int wide = gridDim.x * blockDim.x, high = gridDim.y * blockDim.y;
    for (int row = blockIdx.y * blockDim.y + threadIdx.y; row < rows; row += high) {
        for (int col = blockIdx.x * blockDim.x + threadIdx.x; col < cols; col += wide) {
            out[row * cols + col] = in[row * cols + col] + 10 * row + col;
        }
    }
}
