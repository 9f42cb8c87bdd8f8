// Of several largest elements, the last counts.
#define THREADS 64 // a power of two

extern "C" __global__ void begin(int *best, int *where, int *lock) {
    *best = -2147483647;
    *where = -1;
    *lock = 0;
}

// Waits until the lock is free, and takes it.
__device__ void acquire(int *lock) {
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    // What is read from here on must not be older than the lock: without the
    // fence it may come from this multiprocessor's cache, which may still
    // hold old values.
    __threadfence();
}

// Releases the lock.
__device__ void release(int *lock) {
    // What was written under the lock must be there before the lock is free:
    // without the fence, others may see the two in the other order.
    __threadfence();
    atomicExch(lock, 0);
}

// Whether element i, with this value, beats the other one.
__device__ bool is_better(int value, int i, int other_value, int other_i) {
    return value >= other_value;
}

extern "C" __global__ void largest(const int *in, int *best, int *where, int *lock, int n) {
    __shared__ int s_value[THREADS], s_i[THREADS];
    int t = threadIdx.x;

    // Each thread finds the best of its own elements …
    int value = -2147483647, found = n;
    for (int i = blockIdx.x * THREADS + t; i < n; i += gridDim.x * THREADS) {
        if (is_better(in[i], i, value, found)) {
            value = in[i];
            found = i;
        }
    }
    s_value[t] = value;
    s_i[t] = found;
    __syncthreads();

    // … the block the best of its threads …
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (t < half && is_better(s_value[t + half], s_i[t + half], s_value[t], s_i[t])) {
            s_value[t] = s_value[t + half];
            s_i[t] = s_i[t + half];
        }
        __syncthreads();
    }

    // … and one thread of each block compares with the other blocks.
    if (t == 0) {
        acquire(lock);
        if (is_better(s_value[0], s_i[0], *best, *where)) {
            *best = s_value[0];
            *where = s_i[0]; //~ wrong-result
        }
        release(lock);
    }
}
