// From the end of the row to its beginning; the lanes meet in a running sum.
#define ALL_LANES 0xffffffffu

extern "C" __global__ void batched_dot(const float *a, const float *b, float *t, float *out,
                                       int batch, int n) {
    int lane = threadIdx.x % 32;
    int row = blockIdx.x * 8 + threadIdx.x / 32;
    if (row >= batch) {
        return;
    }
    {
        float sum = 0;
#pragma unroll 4 // several reads under way at a time
        for (int i = n - 1 - lane; i >= 0; i -= 32) {
            sum = fmaf(a[row * n + i], b[row * n + i], sum);
        }
        for (int back = 1; back < 32; back *= 2) {
            float before = __shfl_up_sync(ALL_LANES, sum, back);
            sum += lane >= back ? before : 0;
        }
        if (lane == 31) {
            out[row] = sum;
        }
    }
}
