// Fused, but one lane of each warp does the whole row.
#define ALL_LANES 0xffffffffu

extern "C" __global__ void batched_dot(const float *a, const float *b, float *t, float *out,
                                       int batch, int n) { //~ too-much-work: load_sectors
    int lane = threadIdx.x % 32;
    int row = blockIdx.x * 8 + threadIdx.x / 32;
    if (row < batch && lane == 0) {
        float sum = 0;
        for (int i = 0; i < n; i++) {
            sum += a[row * n + i] * b[row * n + i];
        }
        out[row] = sum;
    }
}
