// Each thread may have several elements; selection from the end, with fixed comparisons.
extern "C" __global__ void despike(const float *in, float *out, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float w[9];
        #pragma unroll
        for (int k = 0; k < 9; k++) {
            w[k] = in[min(max(i + k - 4, 0), n - 1)];
        }
        // After each round the largest of those left is the last of them.
        #pragma unroll
        for (int left = 9; left > 4; left--) {
            #pragma unroll
            for (int k = 0; k + 1 < left; k++) {
                float low = fminf(w[k], w[k + 1]);
                w[k + 1] = fmaxf(w[k], w[k + 1]);
                w[k] = low;
            }
        }
        out[i] = w[4];
    }
}
