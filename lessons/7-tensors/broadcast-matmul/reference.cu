// One thread for each matrix of the batch, three loops.
extern "C" __global__ void broadcast_matmul(const float *x, const float *w, float *out, int n0,
                                            int n1, int n2, int inner, int cols) {
    int threads = gridDim.x * blockDim.x;
    for (int b = blockIdx.x * blockDim.x + threadIdx.x; b < n0 * n1; b += threads) {
        for (int row = b * n2; row < (b + 1) * n2; row++) {
            for (int col = 0; col < cols; col++) {
                double sum = 0;
                for (int k = 0; k < inner; k++) {
                    sum += (double)x[row * inner + k] * w[k * cols + col];
                }
                out[row * cols + col] = (float)sum;
            }
        }
    }
}
