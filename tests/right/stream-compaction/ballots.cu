// A vote in each warp counts the kept; the warps' counts meet in shared memory.
#define THREADS 256

__device__ bool is_kept(int value) {
    return value > 0;
}

__device__ int kept_before(bool kept, int *all) {
    __shared__ int counts[THREADS / 32];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    unsigned votes = __ballot_sync(0xffffffff, kept);
    if (lane == 0) {
        counts[warp] = __popc(votes);
    }
    __syncthreads();
    int before = __popc(votes & ((1u << lane) - 1));
    *all = 0;
    for (int w = 0; w < THREADS / 32; w++) {
        if (w == warp) {
            before += *all;
        }
        *all += counts[w];
    }
    return before;
}

extern "C" __global__ void count_kept(const int *in, int *counts, int n) {
    int i = blockIdx.x * THREADS + threadIdx.x, all;
    kept_before(i < n && is_kept(in[i]), &all);
    if (threadIdx.x == 0) {
        counts[blockIdx.x] = all;
    }
}

extern "C" __global__ void find_starts(const int *counts, int *starts, int *total, int blocks) {
    __shared__ int s[2][THREADS];
    int b = threadIdx.x, now = 0, mine = b < blocks ? counts[b] : 0;
    s[0][b] = mine;
    __syncthreads();
    for (int back = 1; back < THREADS; back *= 2) {
        s[1 - now][b] = s[now][b] + (b >= back ? s[now][b - back] : 0);
        now = 1 - now;
        __syncthreads();
    }
    if (b < blocks) {
        starts[b] = s[now][b] - mine;
    }
    if (b == blocks - 1) {
        *total = s[now][b];
    }
}

extern "C" __global__ void compact(const int *in, const int *starts, int *out, int n) {
    int i = blockIdx.x * THREADS + threadIdx.x, all;
    int value = i < n ? in[i] : 0;
    bool kept = i < n && is_kept(value);
    int before = kept_before(kept, &all);
    if (kept) {
        out[starts[blockIdx.x] + before] = value;
    }
}
