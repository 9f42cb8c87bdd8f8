// The comparisons are fixed, but the loops stay loops: their counters are no constants.
extern "C" __global__ void despike(const float *in, float *out, int n) { //~ too-much-work: local_reads
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) {
        return;
    }
    float w[9];
    #pragma unroll 1
    for (int k = 0; k < 9; k++) {
        w[k] = in[min(max(i + k - 4, 0), n - 1)];
    }
    #pragma unroll 1
    for (int pass = 0; pass < 9; pass++) {
        #pragma unroll 1
        for (int k = pass % 2; k + 1 < 9; k += 2) {
            float low = fminf(w[k], w[k + 1]);
            w[k + 1] = fmaxf(w[k], w[k + 1]);
            w[k] = low;
        }
    }
    out[i] = w[4];
}
