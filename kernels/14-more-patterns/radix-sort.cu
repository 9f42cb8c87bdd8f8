// radix-sort: sorts keys of eight bits, each with its value; equal keys stay in the
// order in which they came.
//
// Four times, for shift = 0, 2, 4 and 6, three launches with THREADS threads a
// block:
//   1. count_digits(keys, counts, n, shift)   one block for 256 keys
//   2. find_starts(counts, starts, entries)   one block
//   3. scatter(keys, values, starts, keys_out, values_out, n, shift)
//                                             one block for 256 keys
// Each time the keys are those that the previous round has written.
//
// Only scatter is left to write.

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

// keys_out, values_out: keys and values in the order of the digit.
extern "C" __global__ void scatter(const int *keys, const int *values, const int *starts,
                                   int *keys_out, int *values_out, int n, int shift) {
    int i = blockIdx.x * THREADS + threadIdx.x;
    bool inside = i < n;
    int key = inside ? keys[i] : 0;
    int digit = digit_of(key, shift);

    // Write here where key and value go: so far they all stay where they are.
    int place = i;

    if (inside) {
        keys_out[place] = key;
        values_out[place] = values[i];
    }
}
