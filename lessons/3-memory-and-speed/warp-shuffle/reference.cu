// out[row][c] = in[row][c] minus the largest element of the row.
extern "C" __global__ void below_the_top(const float *in, float *out, int rows, int cols) {
    int row = blockIdx.x * 4 + threadIdx.x / 32;
    if (row < rows && threadIdx.x % 32 == 0) {
        float largest = in[row * cols];
        for (int c = 1; c < cols; c++) {
            largest = fmaxf(largest, in[row * cols + c]);
        }
        for (int c = 0; c < cols; c++) {
            out[row * cols + c] = in[row * cols + c] - largest;
        }
    }
}
