// Loops over both directions, in steps of the whole grid.
extern "C" __global__ void add(const float *a, int a_row, int a_col, const float *b, int b_row,
                               int b_col, float *out, int rows, int cols) {
    int high = gridDim.y * blockDim.y;
    for (int row = blockIdx.y * blockDim.y + threadIdx.y; row < rows; row += high) {
        int col = blockIdx.x * blockDim.x + threadIdx.x;
        for (; col < cols; col += gridDim.x * blockDim.x) {
            float sum = b[col * b_col + row * b_row];
            sum += a[col * a_col + row * a_row];
            out[col + row * cols] = sum;
        }
    }
}
