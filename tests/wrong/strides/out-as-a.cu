// Writes the result in the layout of a, gaps and all.
extern "C" __global__ void add(const float *a, int a_row, int a_col, const float *b, int b_row,
                               int b_col, float *out, int rows, int cols) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && col < cols) {
        int i = row * a_row + col * a_col;
        out[i] = a[i] + b[row * b_row + col * b_col]; //~ out-of-bounds
    }
}
