// Needs no barrier, because it no longer uses the tile.
#define RUN 64
extern "C" __global__ void reverse(const float *in, float *out, int n) { //~ too-much-work: shared_reads
    int t = threadIdx.x;
    for (int i = blockIdx.x * RUN + t; i < n; i += gridDim.x * RUN) {
        int first = i - t;
        int length = min(RUN, n - first);
        out[i] = in[first + length - 1 - t];
    }
}
