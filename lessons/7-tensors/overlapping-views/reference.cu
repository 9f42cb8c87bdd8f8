// One thread, pair after pair.
extern "C" __global__ void add_transposed(float *x, int n) {
    if (blockIdx.x + blockIdx.y + threadIdx.x + threadIdx.y > 0) {
        return;
    }
    for (int row = 0; row < n; row++) {
        for (int col = 0; col <= row; col++) {
            float sum = x[row * n + col] + x[col * n + row];
            x[row * n + col] = sum;
            x[col * n + row] = sum;
        }
    }
}
