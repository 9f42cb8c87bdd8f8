// No sorting: the median is that which four others stand before.
extern "C" __global__ void despike(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) {
        return;
    }
    float w[9];
    #pragma unroll
    for (int k = 0; k < 9; k++) {
        w[k] = in[min(max(i + k - 4, 0), n - 1)];
    }
    float median = w[0];
    #pragma unroll
    for (int k = 1; k < 9; k++) {
        int before = 0;
        #pragma unroll
        for (int m = 0; m < 9; m++) {
            before += w[m] < w[k] || (w[m] == w[k] && m < k);
        }
        median = before == 4 ? w[k] : median;
    }
    out[i] = median;
}
