// Each lane has a run of its own: the lanes are far apart.
#define ALL_LANES 0xffffffffu

extern "C" __global__ void batched_dot(const float *a, const float *b, float *t, float *out,
                                       int batch, int n) { //~ too-much-work: load_sectors
    int lane = threadIdx.x % 32;
    int row = blockIdx.x * 8 + threadIdx.x / 32;
    if (row < batch) {
        int run = (n + 31) / 32;
        float sum = 0;
        for (int i = lane * run; i < (lane + 1) * run && i < n; i++) {
            sum += a[row * n + i] * b[row * n + i];
        }
        for (int d = 16; d > 0; d /= 2) {
            sum += __shfl_down_sync(ALL_LANES, sum, d);
        }
        if (lane == 0) {
            out[row] = sum;
        }
    }
}
