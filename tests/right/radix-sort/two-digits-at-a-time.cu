// Two digits are counted in one running sum, in halves of an int.
#define THREADS 256 // a power of two
#define DIGITS 4    // two bits

__device__ int digit_of(int key, int shift) {
    return (key >> shift) % DIGITS;
}

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
    int i = blockIdx.x * THREADS + threadIdx.x;
    bool inside = i < n;
    int key = inside ? keys[i] : 0;
    int digit = digit_of(key, shift);

    int low = running_sum(inside && digit < 2 ? 1 << 16 * digit : 0);
    int high = running_sum(inside && digit >= 2 ? 1 << 16 * (digit - 2) : 0);
    int sum = (digit < 2 ? low : high) >> 16 * (digit % 2) & 0xffff;
    int place = starts[digit * gridDim.x + blockIdx.x] + sum - 1;
    if (inside) {
        keys_out[place] = key;
        values_out[place] = values[i];
    }
}
