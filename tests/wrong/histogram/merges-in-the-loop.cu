// Merges after each round of the loop.
#define THREADS 256
#define BINS 64
extern "C" __global__ void histogram(const int *in, int *counts, int n) { //~ too-much-work: global_atomics
    __shared__ int own[BINS];
    int t = threadIdx.x;
    if (t < BINS) {
        own[t] = 0;
    }
    __syncthreads();
    for (int first = blockIdx.x * THREADS; first < n; first += gridDim.x * THREADS) {
        if (first + t < n) {
            atomicAdd(&own[in[first + t]], 1);
        }
        __syncthreads();
        if (t < BINS) {
            atomicAdd(&counts[t], own[t]);
            own[t] = 0;
        }
        __syncthreads();
    }
}
