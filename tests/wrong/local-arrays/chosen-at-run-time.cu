// Everything is unrolled, but the element that is written is chosen at run time.
extern "C" __global__ void despike(const float *in, float *out, int n) { //~ too-much-work: local_reads
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) {
        return;
    }
    float w[9];
    #pragma unroll
    for (int k = 0; k < 9; k++) {
        w[k] = in[min(max(i + k - 4, 0), n - 1)];
    }
    int rank[9] = {};
    #pragma unroll
    for (int k = 0; k < 9; k++) {
        #pragma unroll
        for (int m = 0; m < 9; m++) {
            rank[k] += w[m] < w[k] || (w[m] == w[k] && m < k);
        }
    }
    int at = 0;
    while (rank[at] != 4) {
        at++;
    }
    out[i] = w[at];
}
