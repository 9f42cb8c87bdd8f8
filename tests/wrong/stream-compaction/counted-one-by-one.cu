// Each thread goes through all threads before it.
// stream-compaction: put the elements that are kept side by side, in order.
//
// Launched three times, always with THREADS threads a block:
//   1. count_kept(in, counts, n)                   one block for 256 elements
//   2. find_starts(counts, starts, total, blocks)  one block
//   3. compact(in, starts, out, n)                 one block for 256 elements
//
// The first two are written already.

#define THREADS 256 // a power of two

// Which elements are kept.
__device__ bool is_kept(int value) {
    return value > 0;
}

// The sum of `value` over the threads of the block up to and including this
// one. All threads of the block must call it.
__device__ int running_sum(int value) {
    __shared__ int s[THREADS];
    int t = threadIdx.x;
    s[t] = value;
    __syncthreads();
    for (int back = 1; back < THREADS; back *= 2) {
        int add = t >= back ? s[t - back] : 0;
        __syncthreads();
        s[t] += add;
        __syncthreads();
    }
    return s[t];
}

// counts: for each block, how many of its elements are kept.
extern "C" __global__ void count_kept(const int *in, int *counts, int n) {
    int i = blockIdx.x * THREADS + threadIdx.x;
    int kept = i < n && is_kept(in[i]) ? 1 : 0;
    int count = running_sum(kept);
    if (threadIdx.x == THREADS - 1) {
        counts[blockIdx.x] = count;
    }
}

// starts: for each block, how many elements are kept in all blocks before it.
// total: how many are kept altogether.
extern "C" __global__ void find_starts(const int *counts, int *starts, int *total, int blocks) {
    int b = threadIdx.x;
    int count = b < blocks ? counts[b] : 0;
    int sum = running_sum(count);
    if (b < blocks) {
        starts[b] = sum - count; // without the block's own
    }
    if (b == THREADS - 1) {
        *total = sum;
    }
}

// out: *total elements are written; what comes after them stays as it is.
extern "C" __global__ void compact(const int *in, const int *starts, int *out, int n) { //~ too-much-work: shared_reads_per_thread
    __shared__ int s[THREADS];
    int t = threadIdx.x, i = blockIdx.x * THREADS + t;
    int value = i < n ? in[i] : 0;
    s[t] = i < n && is_kept(value);
    __syncthreads();
    int place = starts[blockIdx.x];
    for (int k = 0; k < t; k++) {
        place += s[k];
    }
    if (s[t]) {
        out[place] = value;
    }
}
