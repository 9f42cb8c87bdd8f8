// Number 1 of a block belongs at its first place, not behind it.
#define THREADS 256

__device__ bool is_kept(int value) {
    return value > 0;
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
        starts[b] = sum - count;
    }
    if (b == THREADS - 1) {
        *total = sum;
    }
}

extern "C" __global__ void compact(const int *in, const int *starts, int *out, int n) {
    int i = blockIdx.x * THREADS + threadIdx.x;
    int kept = i < n && is_kept(in[i]) ? 1 : 0;
    int place = running_sum(kept);
    if (kept && starts[blockIdx.x] + place < n) {
        out[starts[blockIdx.x] + place] = in[i]; //~ wrong-result: shifted
    }
}
