// Compares row and col with each other, and with n no more.
extern "C" __global__ void add_transposed(float *x, int n) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row <= col) {
        float sum = x[row * n + col] + x[col * n + row]; //~ out-of-bounds
        x[row * n + col] = sum;
        x[col * n + row] = sum;
    }
}
