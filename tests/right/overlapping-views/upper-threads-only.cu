// Threads on and above the diagonal return early unless they have a pair.
extern "C" __global__ void add_transposed(float *x, int n) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    int col = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= n || col > row) {
        return;
    }
    float *one = x + row * n + col, *other = x + col * n + row;
    if (one == other) {
        *one *= 2;
        return;
    }
    float sum = *one + *other;
    *one = sum;
    *other = sum;
}
