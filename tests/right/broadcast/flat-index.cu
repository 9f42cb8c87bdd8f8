// The thread's number in the block is the index; row and column come from it.
extern "C" __global__ void broadcast(const float *a, const float *b, float *out, int rows, int cols) {
    int i = threadIdx.y * blockDim.x + threadIdx.x;
    if (i < rows * cols) {
        out[i] = a[i / cols] + b[i % cols];
    }
}
