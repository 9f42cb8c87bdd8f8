// A failed try sleeps; the block's largest is found by shuffles of pairs.
#define THREADS 64 // a power of two

extern "C" __global__ void begin(int *best, int *where, int *lock) {
    *best = -2147483647;
    *where = -1;
    *lock = 0;
}

__device__ void acquire(int *lock) {
    for (int rest = 8; atomicCAS(lock, 0, 1) != 0; rest = min(2 * rest, 256)) {
        __nanosleep(rest);
    }
    __threadfence();
}

__device__ void release(int *lock) {
    __threadfence();
    atomicExch(lock, 0);
}

__device__ bool is_better(int value, int i, int other_value, int other_i) {
    return value > other_value || (value == other_value && i < other_i);
}

extern "C" __global__ void largest(const int *in, int *best, int *where, int *lock, int n) {
    __shared__ int s_value[THREADS], s_i[THREADS];
    int t = threadIdx.x;

    int value = -2147483647, found = n;
    for (int i = blockIdx.x * THREADS + t; i < n; i += gridDim.x * THREADS) {
        if (is_better(in[i], i, value, found)) {
            value = in[i];
            found = i;
        }
    }
    for (int d = 16; d > 0; d /= 2) {
        int other = __shfl_down_sync(0xffffffff, value, d);
        int other_i = __shfl_down_sync(0xffffffff, found, d);
        if (is_better(other, other_i, value, found)) {
            value = other;
            found = other_i;
        }
    }
    if (t % 32 == 0) {
        s_value[t / 32] = value;
        s_i[t / 32] = found;
    }
    __syncthreads();
    if (t == 0 && is_better(s_value[1], s_i[1], s_value[0], s_i[0])) {
        s_value[0] = s_value[1];
        s_i[0] = s_i[1];
    }

    if (t == 0) {
        acquire(lock);
        if (is_better(s_value[0], s_i[0], *best, *where)) {
            *best = s_value[0];
            *where = s_i[0];
        }
        release(lock);
    }
}
