// Takes the number of rows for the length of a row.
extern "C" __global__ void blocks_2d(const float *in, float *out, int rows, int cols) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && col < cols) {
        int i = row * rows + col;
        out[i] = in[i] + 10 * row + col; //~ global-race
    }
}
