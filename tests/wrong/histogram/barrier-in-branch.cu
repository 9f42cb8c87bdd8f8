// Only the threads that merge wait.
#define THREADS 256
#define BINS 64

extern "C" __global__ void histogram(const int *in, int *counts, int n) {
    __shared__ int own[BINS];
    int t = threadIdx.x;
    if (t < BINS) {
        own[t] = 0;
    }
    __syncthreads();

    for (int i = blockIdx.x * THREADS + t; i < n; i += gridDim.x * THREADS) {
        atomicAdd(&own[in[i]], 1);
    }
    __syncthreads();

    if (t < BINS) __syncthreads(); //~ divergent-barrier
    if (t < BINS) {
        atomicAdd(&counts[t], own[t]);
    }
}
