// No guard: the blocks at the edges run past the matrix.
extern "C" __global__ void add(const float *a, int a_row, int a_col, const float *b, int b_row,
                               int b_col, float *out, int rows, int cols) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    out[row * cols + col] = a[row * a_row + col * a_col] + b[row * b_row + col * b_col]; //~ out-of-bounds
}
