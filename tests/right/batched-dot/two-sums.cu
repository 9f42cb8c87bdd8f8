// Two sums for every other 32; the lanes meet by xor, and the last one writes.
#define ALL_LANES 0xffffffffu

extern "C" __global__ void batched_dot(const float *a, const float *b, float *t, float *out,
                                       int batch, int n) {
    int lane = threadIdx.x % 32;
    int row = blockIdx.x * 8 + threadIdx.x / 32;
    if (row < batch) {
        const float *x = a + row * n, *y = b + row * n;
        float sum = 0, other = 0;
        for (int i = lane; i < n; i += 64) {
            sum = fmaf(x[i], y[i], sum);
            if (i + 32 < n) {
                other = fmaf(x[i + 32], y[i + 32], other);
            }
        }
        sum += other;
        for (int d = 1; d < 32; d *= 2) {
            sum += __shfl_xor_sync(ALL_LANES, sum, d);
        }
        if (lane == 31) {
            out[row] = sum;
        }
    }
}
