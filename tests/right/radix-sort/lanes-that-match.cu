// Lanes with the same digit find each other by __match_any_sync().
#define THREADS 256 // a power of two
#define DIGITS 4    // two bits

// Returns the digit by which the keys are sorted this time.
__device__ int digit_of(int key, int shift) {
    return (key >> shift) % DIGITS;
}

// Returns the sum of `value` over the block's threads up to and including this one.
// All threads of the block must call it.
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

// counts: for each digit, how often each block has it. Digit d of block b is at
// d * blocks + b.
extern "C" __global__ void count_digits(const int *keys, int *counts, int n, int shift) {
    int i = blockIdx.x * THREADS + threadIdx.x;
    int digit = i < n ? digit_of(keys[i], shift) : -1;
    for (int d = 0; d < DIGITS; d++) {
        int count = running_sum(digit == d ? 1 : 0);
        if (threadIdx.x == THREADS - 1) {
            counts[d * gridDim.x + blockIdx.x] = count;
        }
    }
}

// starts: for each count, the sum of all counts before it.
extern "C" __global__ void find_starts(const int *counts, int *starts, int entries) {
    int e = threadIdx.x;
    int count = e < entries ? counts[e] : 0;
    int sum = running_sum(count);
    if (e < entries) {
        starts[e] = sum - count; // without its own
    }
}

extern "C" __global__ void scatter(const int *keys, const int *values, const int *starts,
                                   int *keys_out, int *values_out, int n, int shift) {
    __shared__ int of_warp[THREADS / 32][DIGITS];
    int t = threadIdx.x, lane = t % 32, warp = t / 32, i = blockIdx.x * THREADS + t;
    if (t < THREADS / 32 * DIGITS) of_warp[t / DIGITS][t % DIGITS] = 0;
    __syncthreads();
    int key = i < n ? keys[i] : 0;
    int digit = i < n ? digit_of(key, shift) : DIGITS;
    unsigned same = __match_any_sync(0xffffffffu, digit);
    int rank = __popc(same & ((1u << lane) - 1));
    if (i < n && rank == 0) of_warp[warp][digit] = __popc(same);
    __syncthreads();
    if (i < n) {
        int place = starts[digit * gridDim.x + blockIdx.x] + rank;
        for (int w = 0; w < warp; w++) place += of_warp[w][digit];
        keys_out[place] = key;
        values_out[place] = values[i];
    }
}
