// A thread for each row, which adds up from its first element to its last.
extern "C" __global__ void batched_dot(const float *a, const float *b, float *t, float *out,
                                       int batch, int n) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < batch) {
        double sum = 0;
        for (int i = 0; i < n; i++) {
            sum += (double)a[row * n + i] * b[row * n + i];
        }
        out[row] = (float)sum;
    }
}
