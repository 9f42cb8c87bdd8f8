// The place in x is taken apart into its three, and put together again.
extern "C" __global__ void broadcast_matmul(const float *x, const float *w, float *out, int n0,
                                            int n1, int n2, int inner, int cols) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int rows = n0 * n1 * n2;
    int col = i % cols, row = i / cols;
    int i2 = row % n2, i1 = row / n2 % n1, i0 = row / n2 / n1;
    if (i0 < n0 && rows > 0) {
        const float *from = x + ((i0 * n1 + i1) * n2 + i2) * inner;
        float sum = 0;
        for (int k = 0; k < inner; k++) {
            sum = fmaf(from[k], w[k * cols + col], sum);
        }
        out[i] = sum;
    }
}
