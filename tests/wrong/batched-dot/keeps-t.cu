// Adds up in registers, but still stores the products, which nobody reads.
#define ALL_LANES 0xffffffffu

extern "C" __global__ void batched_dot(const float *a, const float *b, float *t, float *out,
                                       int batch, int n) { //~ too-much-work: store_sectors
    int lane = threadIdx.x % 32;
    int row = blockIdx.x * 8 + threadIdx.x / 32;
    if (row < batch) {
        float sum = 0;
        for (int i = lane; i < n; i += 32) {
            float product = a[row * n + i] * b[row * n + i];
            t[row * n + i] = product;
            sum += product;
        }
        for (int d = 16; d > 0; d /= 2) {
            sum += __shfl_down_sync(ALL_LANES, sum, d);
        }
        if (lane == 0) {
            out[row] = sum;
        }
    }
}
