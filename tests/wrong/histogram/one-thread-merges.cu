// One thread merges all counters while the others wait.
#define THREADS 256
#define BINS 64
extern "C" __global__ void histogram(const int *in, int *counts, int n) { //~ too-much-work: shared_reads_per_thread
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
    if (t == 0) {
        for (int bin = 0; bin < BINS; bin++) {
            atomicAdd(&counts[bin], own[bin]);
        }
    }
}
