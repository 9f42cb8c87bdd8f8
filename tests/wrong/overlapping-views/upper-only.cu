// Does the upper half, and leaves the lower one as it was.
extern "C" __global__ void add_transposed(float *x, int n) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row <= col && col < n) {
        x[row * n + col] += x[col * n + row]; //~ wrong-result
    }
}
