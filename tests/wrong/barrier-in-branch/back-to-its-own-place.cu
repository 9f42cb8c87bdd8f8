// No barrier: each thread reads only what it has stored itself, and the tile is for
// show.
#define RUN 64

extern "C" __global__ void reverse(const float *in, float *out, int n) { //~ too-much-work: barriers
    __shared__ volatile float tile[RUN];
    int t = threadIdx.x;
    for (int i = blockIdx.x * RUN + t; i < n; i += gridDim.x * RUN) {
        tile[t] = in[i];
        int first = i - t;
        int length = min(RUN, n - first);
        out[first + length - 1 - t] = tile[t];
    }
}
