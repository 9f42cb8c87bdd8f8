// histogram: count how often each value occurs.
//
// in: n values, each from 0 to BINS - 1. counts: BINS counters, which hold the
// counts of earlier data already; this kernel adds to them.
// One block of THREADS threads for 2048 elements, but at most 16.
//
// This kernel is right; make it take fewer trips to global memory.

#define THREADS 256
#define BINS 64

extern "C" __global__ void histogram(const int *in, int *counts, int n) {
    for (int i = blockIdx.x * THREADS + threadIdx.x; i < n; i += gridDim.x * THREADS) {
        atomicAdd(&counts[in[i]], 1);
    }
}
