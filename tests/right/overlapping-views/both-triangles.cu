// Of each pair one thread does the work: above the diagonal where row + col is even, else below.
extern "C" __global__ void add_transposed(float *x, int n) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= n || col >= n) {
        return;
    }
    bool even = (row + col) % 2 == 0;
    if (row == col || even == (row < col)) {
        float one = x[row * n + col], other = x[col * n + row];
        x[row * n + col] = one + other;
        x[col * n + row] = one + other;
    }
}
