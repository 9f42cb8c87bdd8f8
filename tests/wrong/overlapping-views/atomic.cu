// Adds atomically, and still reads what others change.
extern "C" __global__ void add_transposed(float *x, int n) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < n && col < n) {
        atomicAdd(&x[row * n + col], x[col * n + row]); //~ global-race
    }
}
