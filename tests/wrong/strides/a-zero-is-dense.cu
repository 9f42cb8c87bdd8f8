// Takes a stride of 0 for one that was not given, in a.
extern "C" __global__ void add(const float *a, int a_row, int a_col, const float *b, int b_row,
                               int b_col, float *out, int rows, int cols) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && col < cols) {
        if (a_row == 0) {
            a_row = cols;
        }
        if (a_col == 0) {
            a_col = 1;
        }
        // The same (row, col) three times, each time in a different layout. The
        // layout of out is the usual one: its strides are cols and 1.
        out[row * cols + col] = a[row * a_row + col * a_col] + b[row * b_row + col * b_col]; //~ out-of-bounds
    }
}
