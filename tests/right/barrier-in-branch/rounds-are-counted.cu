// All threads count the same rounds; the barrier comes first in each.
#define RUN 64

extern "C" __global__ void reverse(const float *in, float *out, int n) {
    __shared__ float tile[RUN];
    int t = threadIdx.x;
    int runs = (n + RUN - 1) / RUN;
    for (int run = blockIdx.x; run < runs; run += gridDim.x) {
        int first = run * RUN, length = run == runs - 1 ? n - first : RUN;
        __syncthreads();
        if (t < length) {
            tile[t] = in[first + length - 1 - t];
        }
        __syncthreads(); // the run is in the tile
        if (t < length) {
            out[first + t] = tile[t];
        }
    }
}
