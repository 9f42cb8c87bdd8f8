// All threads go round equally often, but nothing guards the work any more.
#define RUN 64
extern "C" __global__ void reverse(const float *in, float *out, int n) {
    __shared__ float tile[RUN];
    int t = threadIdx.x;
    for (int first = blockIdx.x * RUN; first < n; first += gridDim.x * RUN) {
        int length = min(RUN, n - first);
        tile[t] = in[first + t]; //~ out-of-bounds
        __syncthreads();
        out[first + t] = tile[length - 1 - t];
        __syncthreads();
    }
}
