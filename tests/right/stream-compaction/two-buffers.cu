// The running sum goes between two shared arrays: one barrier a step.
#define THREADS 256 // a power of two

__device__ bool is_kept(int value) {
    return value > 0;
}

__device__ int running_sum(int value) {
    __shared__ int s[2][THREADS];
    int t = threadIdx.x, now = 0;
    s[now][t] = value;
    __syncthreads();
    for (int back = 1; back < THREADS; back *= 2, now = 1 - now) {
        s[1 - now][t] = s[now][t] + (t >= back ? s[now][t - back] : 0);
        __syncthreads();
    }
    return s[now][t];
}

extern "C" __global__ void count_kept(const int *in, int *counts, int n) {
    int i = blockIdx.x * THREADS + threadIdx.x;
    int kept = i < n && is_kept(in[i]) ? 1 : 0;
    int count = running_sum(kept);
    if (threadIdx.x == THREADS - 1) {
        counts[blockIdx.x] = count;
    }
}

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

extern "C" __global__ void compact(const int *in, const int *starts, int *out, int n) {
    int i = blockIdx.x * THREADS + threadIdx.x;
    int kept = i < n && is_kept(in[i]) ? 1 : 0;
    int place = running_sum(kept);
    if (kept) {
        out[starts[blockIdx.x] + place - 1] = in[i];
    }
}
