// Shared memory can be indexed: each thread has a column there, and sorts it as the starter does. It is no faster.
extern "C" __global__ void despike(const float *in, float *out, int n) { //~ too-slow: speedup_over_starter
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ float w[9][256];
    int t = threadIdx.x;
    if (i >= n) {
        return;
    }
    for (int k = 0; k < 9; k++) {
        float x = in[min(max(i + k - 4, 0), n - 1)];
        int at = k;
        while (at > 0 && w[at - 1][t] > x) {
            w[at][t] = w[at - 1][t];
            at--;
        }
        w[at][t] = x;
    }
    out[i] = w[4][t];
}
