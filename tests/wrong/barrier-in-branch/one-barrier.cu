// Fixes the first barrier and drops the second: the next run overwrites the tile.
#define RUN 64
extern "C" __global__ void reverse(const float *in, float *out, int n) {
    __shared__ float tile[RUN];
    int t = threadIdx.x;
    for (int first = blockIdx.x * RUN; first < n; first += gridDim.x * RUN) {
        int length = min(RUN, n - first);
        if (t < length) {
            tile[t] = in[first + t];
        }
        __syncthreads();
        if (t < length) {
            out[first + t] = tile[length - 1 - t]; //~ shared-race
        }
    }
}
