// histogram: count how often each value occurs.
//
// in: n values, each from 0 to BINS - 1. counts: BINS counters, which hold the
// counts of earlier data already; this kernel adds to them.
// One block of THREADS threads for 2048 elements, but at most 16.

#define THREADS 256
#define BINS 64

extern "C" __global__ void histogram(const int *in, int *counts, int n) { //~ too-much-work: warp_instructions
    // The block's own counters. Only its own threads compete for them, and
    // they are close by.
    __shared__ int own[BINS];
    int t = threadIdx.x;
    if (t < BINS) {
        own[t] = 0;
    }
    __syncthreads(); // nobody counts before all are zero

    // One lane of a warp counts for all 32, in memory of its own.
    int mine[BINS] = {};
    for (int i = blockIdx.x * THREADS + t; i - t % 32 < n; i += gridDim.x * THREADS) {
        int value = i < n ? in[i] : -1;
        for (int lane = 0; lane < 32; lane++) {
            int next = __shfl_sync(0xffffffff, value, lane);
            if (t % 32 == 0 && next >= 0) {
                mine[next]++;
            }
        }
    }
    for (int bin = 0; bin < BINS; bin++) {
        if (t % 32 == 0 && mine[bin] > 0) {
            atomicAdd(&own[bin], mine[bin]);
        }
    }
    __syncthreads(); // nobody adds up before all have counted

    // Still atomic: the other blocks add to the same counters. But now it is
    // once for each block and bin, however many elements there are.
    if (t < BINS) {
        atomicAdd(&counts[t], own[t]);
    }
}
