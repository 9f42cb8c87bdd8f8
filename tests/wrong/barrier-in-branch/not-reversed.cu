// All barriers are right, and the run comes out as it went in.
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
            out[first + t] = tile[t]; //~ wrong-result: copy-of-input
        }
        __syncthreads();
    }
}
