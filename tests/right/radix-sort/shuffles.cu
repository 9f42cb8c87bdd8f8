// The running sum goes by shuffles; the warps' sums meet in shared memory.
#define THREADS 256 // a power of two
#define DIGITS 4    // two bits

__device__ int digit_of(int key, int shift) {
    return (key >> shift) % DIGITS;
}

__device__ int running_sum(int value) {
    __shared__ int warps[THREADS / 32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (int back = 1; back < 32; back *= 2) {
        int add = __shfl_up_sync(0xffffffff, value, back);
        value += lane >= back ? add : 0;
    }
    __syncthreads();
    if (lane == 31) {
        warps[warp] = value;
    }
    __syncthreads();
    for (int w = 0; w < warp; w++) {
        value += warps[w];
    }
    return value;
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

    int place = 0;
    for (int d = 0; d < DIGITS; d++) {
        int sum = running_sum(inside && digit == d ? 1 : 0); // all threads call it
        if (digit == d) {
            place = starts[d * gridDim.x + blockIdx.x] + sum - 1; // without itself
        }
    }
    if (inside) {
        keys_out[place] = key;
        values_out[place] = values[i];
    }
}
