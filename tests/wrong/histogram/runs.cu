// Right, but each thread counts a run of its own: its neighbours are far apart.
#define THREADS 256
#define BINS 64

extern "C" __global__ void histogram(const int *in, int *counts, int n) { //~ too-much-work: load_sectors
    __shared__ int own[BINS];
    int t = threadIdx.x;
    if (t < BINS) {
        own[t] = 0;
    }
    __syncthreads();

    int threads = gridDim.x * THREADS;
    int run = (n + threads - 1) / threads;
    int first = (blockIdx.x * THREADS + t) * run;
    for (int i = first; i < min(n, first + run); i++) {
        atomicAdd(&own[in[i]], 1);
    }
    __syncthreads();

    if (t < BINS) {
        atomicAdd(&counts[t], own[t]);
    }
}
