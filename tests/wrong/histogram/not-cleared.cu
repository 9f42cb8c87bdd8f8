// Shared memory does not begin as zeros.
#define THREADS 256
#define BINS 64
extern "C" __global__ void histogram(const int *in, int *counts, int n) {
    __shared__ int own[BINS];
    int t = threadIdx.x;
    __syncthreads();
    for (int i = blockIdx.x * THREADS + t; i < n; i += gridDim.x * THREADS) {
        atomicAdd(&own[in[i]], 1); //~ uninitialised-read
    }
    __syncthreads();
    if (t < BINS) {
        atomicAdd(&counts[t], own[t]);
    }
}
