// Takes rows of x to be as long as those of out.
extern "C" __global__ void broadcast_matmul(const float *x, const float *w, float *out, int n0,
                                            int n1, int n2, int inner, int cols) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int row = i / cols, col = i % cols;
    if (row < n0 * n1 * n2) {
        float sum = 0;
        for (int k = 0; k < inner; k++) {
            sum += x[row * cols + k] * w[k * cols + col];
        }
        out[i] = sum; //~ wrong-result
    }
}
