// A grid-stride loop, and the row is a pointer.
extern "C" __global__ void broadcast_matmul(const float *x, const float *w, float *out, int n0,
                                            int n1, int n2, int inner, int cols) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int rows = n0 * n1 * n2;
    for (; i < rows * cols; i += gridDim.x * blockDim.x) {
        int row = i / cols, col = i - row * cols;
        const float *from = x + row * inner;
        float sum = 0;
        for (int k = 0; k < inner; k++) {
            sum += w[k * cols + col] * from[k];
        }
        out[i] = sum;
    }
}
