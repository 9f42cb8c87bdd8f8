// Takes the barriers out.
#define RUN 64
extern "C" __global__ void reverse(const float *in, float *out, int n) {
    __shared__ float tile[RUN];
    int t = threadIdx.x;
    for (int i = blockIdx.x * RUN + t; i < n; i += gridDim.x * RUN) {
        tile[t] = in[i];
        int first = i - t;
        int length = min(RUN, n - first);
        out[i] = tile[length - 1 - t]; //~ shared-race
    }
}
