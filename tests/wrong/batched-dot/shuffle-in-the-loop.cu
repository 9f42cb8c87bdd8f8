// Shuffles inside the loop, where some lanes have no element any more.
#define ALL_LANES 0xffffffffu

extern "C" __global__ void batched_dot(const float *a, const float *b, float *t, float *out,
                                       int batch, int n) {
    int lane = threadIdx.x % 32;
    int row = blockIdx.x * 8 + threadIdx.x / 32;
    if (row < batch) {
        float sum = 0;
        for (int i = lane; i < n; i += 32) {
            float product = a[row * n + i] * b[row * n + i];
            for (int d = 16; d > 0; d /= 2) {
                product += __shfl_down_sync(ALL_LANES, product, d); //~ warp-mask
            }
            sum += product;
        }
        if (lane == 0) {
            out[row] = sum;
        }
    }
}
