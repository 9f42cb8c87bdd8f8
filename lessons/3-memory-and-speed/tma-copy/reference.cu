// Sums of distances, in double, straight from global memory.
extern "C" __global__ void distances(const float *x, const float *y, float *out, int n, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double sum = 0;
        for (int k = 0; k < m; k++) {
            sum += fabs((double)x[i] - y[k]);
        }
        out[i] = (float)sum;
    }
}
