// y[i] += a * x[i], four elements for each thread, one after the other.
extern "C" __global__ void axpy(float a, const float *x, float *y, int n) {
    int first = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    for (int i = first; i < first + 4 && i < n; i++) {
        y[i] = (float)(y[i] + (double)a * x[i]);
    }
}
