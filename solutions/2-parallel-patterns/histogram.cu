// histogram: count how often each value occurs.
//
// in: n values, each from 0 to BINS - 1. counts: BINS counters, which hold the
// counts of earlier data already; this kernel adds to them.
// One block of THREADS threads for 2048 elements, but at most 16.

#define THREADS 256
#define BINS 64

extern "C" __global__ void histogram(const int *in, int *counts, int n) {
    // The block's own counters. Only its own threads compete for them, and
    // they are close by.
    __shared__ int own[BINS];
    int t = threadIdx.x;
    if (t < BINS) {
        own[t] = 0;
    }
    __syncthreads(); // nobody counts before all are zero

    for (int i = blockIdx.x * THREADS + t; i < n; i += gridDim.x * THREADS) {
        // Still atomic: two threads of the block may need the same counter.
        atomicAdd(&own[in[i]], 1);
    }
    __syncthreads(); // nobody adds up before all have counted

    // Still atomic: the other blocks add to the same counters. But now it is
    // once for each block and bin, however many elements there are.
    if (t < BINS) {
        atomicAdd(&counts[t], own[t]);
    }
}
