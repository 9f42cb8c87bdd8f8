// Only the outer loop is unrolled: how far a value moves still depends on the values.
extern "C" __global__ void despike(const float *in, float *out, int n) { //~ too-much-work: local_reads
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) {
        return;
    }
    float w[9];
    #pragma unroll
    for (int k = 0; k < 9; k++) {
        float x = in[min(max(i + k - 4, 0), n - 1)];
        int at = k;
        while (at > 0 && w[at - 1] > x) {
            w[at] = w[at - 1];
            at--;
        }
        w[at] = x;
    }
    out[i] = w[4];
}
