// Where rows begin at a multiple of four, four elements are read at a time.
#define ALL_LANES 0xffffffffu

extern "C" __global__ void batched_dot(const float *a, const float *b, float *t, float *out,
                                       int batch, int n) {
    int lane = threadIdx.x % 32;
    int row = blockIdx.x * 8 + threadIdx.x / 32;
    if (row < batch) {
        float sum = 0;
        int done = 0;
        if (n % 4 == 0) {
            const float4 *fours_a = (const float4 *)(a + row * n);
            const float4 *fours_b = (const float4 *)(b + row * n);
            for (int q = lane; q < n / 4; q += 32) {
                float4 x = fours_a[q], y = fours_b[q];
                sum += x.x * y.x + x.y * y.y + x.z * y.z + x.w * y.w;
            }
            done = n;
        }
        for (int i = done + lane; i < n; i += 32) {
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
