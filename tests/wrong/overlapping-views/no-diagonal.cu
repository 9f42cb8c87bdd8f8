// Leaves out the diagonal, which is to be doubled like the rest.
extern "C" __global__ void add_transposed(float *x, int n) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < col && col < n) {
        float sum = x[row * n + col] + x[col * n + row];
        x[row * n + col] = sum; //~ wrong-result
        x[col * n + row] = sum;
    }
}
