// Every thread writes both places: two threads for each.
extern "C" __global__ void add_transposed(float *x, int n) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < n && col < n) {
        float sum = x[row * n + col] + x[col * n + row];
        x[row * n + col] = sum; //~ global-race
        x[col * n + row] = sum;
    }
}
