// One warp works out the starts: those behind its lanes all begin at one place.
// radix-sort: keys of eight bits in order, each with its value; equal keys stay
// in the order in which they came.
//
// Four times, for shift = 0, 2, 4 and 6, three launches with THREADS threads a
// block:
//   1. count_digits(keys, counts, n, shift)   one block for 256 keys
//   2. find_starts(counts, starts, entries)   one block
//   3. scatter(keys, values, starts, keys_out, values_out, n, shift)
//                                             one block for 256 keys
// Each time the keys are those that the time before has written.

#define THREADS 256 // a power of two
#define DIGITS 4    // two bits

// The digit by which the keys are sorted this time.
__device__ int digit_of(int key, int shift) {
    return (key >> shift) % DIGITS;
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

// starts: for each count, the sum of all that stand before it.
extern "C" __global__ void find_starts(const int *counts, int *starts, int entries) {
    int e = threadIdx.x;
    if (e >= 32) {
        return;
    }
    int count = e < entries ? counts[e] : 0;
    int sum = count;
    for (int back = 1; back < 32; back *= 2) {
        int add = __shfl_up_sync(0xffffffff, sum, back);
        sum += e >= back ? add : 0;
    }
    int all = __shfl_sync(0xffffffff, sum, 31);
    if (e < entries) {
        starts[e] = sum - count;
    }
    for (int later = 32 + e; later < entries; later += 32) {
        starts[later] = all;
    }
}

// keys_out, values_out: keys and values in the order of the digit.
extern "C" __global__ void scatter(const int *keys, const int *values, const int *starts,
                                   int *keys_out, int *values_out, int n, int shift) {
    int i = blockIdx.x * THREADS + threadIdx.x;
    bool inside = i < n;
    int key = inside ? keys[i] : 0;
    int digit = digit_of(key, shift);

    // How many of the same digit lie before it: in smaller digits and in blocks
    // before this one, starts says; in this block, the running sum of the digit.
    int place = 0;
    for (int d = 0; d < DIGITS; d++) {
        int sum = running_sum(inside && digit == d ? 1 : 0); // all threads call it
        if (digit == d) {
            place = starts[d * gridDim.x + blockIdx.x] + sum - 1; // without itself
        }
    }
    if (inside) {
        keys_out[place] = key; //~ global-race
        values_out[place] = values[i];
    }
}
