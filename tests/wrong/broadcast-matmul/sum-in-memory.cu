// Right, but keeps the sum in memory, and reads it back at each step.
extern "C" __global__ void broadcast_matmul(const float *x, const float *w, float *out, int n0,
                                            int n1, int n2, int inner, int cols) { //~ too-much-work: global_writes
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int row = i / cols, col = i % cols;
    if (row < n0 * n1 * n2) {
        out[i] = 0;
        for (int k = 0; k < inner; k++) {
            out[i] += x[row * inner + k] * w[k * cols + col];
        }
    }
}
