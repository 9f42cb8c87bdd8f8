// Forgets to put the sums of the lanes together.
#define ALL_LANES 0xffffffffu

extern "C" __global__ void batched_dot(const float *a, const float *b, float *t, float *out,
                                       int batch, int n) {
    int lane = threadIdx.x % 32;
    int row = blockIdx.x * 8 + threadIdx.x / 32;
    if (row < batch) {
        float sum = 0;
        for (int i = lane; i < n; i += 32) {
            sum += a[row * n + i] * b[row * n + i];
        }
        if (lane == 0) {
            out[row] = sum; //~ wrong-result
        }
    }
}
