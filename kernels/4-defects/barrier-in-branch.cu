// reverse: reverse each run of RUN elements; the last run may be shorter.
//
// in, out: n floats. A block has RUN threads, and takes every gridDim.x-th
// run, through shared memory.
//
// On a GPU the values are right. Check it here, and read what is found.

#define RUN 64

extern "C" __global__ void reverse(const float *in, float *out, int n) {
    __shared__ float tile[RUN];
    int t = threadIdx.x;
    for (int i = blockIdx.x * RUN + t; i < n; i += gridDim.x * RUN) {
        tile[t] = in[i];
        __syncthreads(); // the run is in the tile
        int first = i - t;
        int length = min(RUN, n - first);
        out[i] = tile[length - 1 - t];
        __syncthreads(); // the tile is used up
    }
}
