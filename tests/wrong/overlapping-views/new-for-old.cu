// Adds the new element, not the old one, to the other.
extern "C" __global__ void add_transposed(float *x, int n) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row <= col && col < n) {
        x[row * n + col] += x[col * n + row];
        x[col * n + row] += x[row * n + col]; //~ wrong-result
    }
}
