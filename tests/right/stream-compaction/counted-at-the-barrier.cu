// __syncthreads_count() counts the kept; the running sum goes by shuffles.
#define THREADS 256 // a power of two

__device__ bool is_kept(int value) {
    return value > 0;
}

__device__ int running_sum(int value) {
    __shared__ int warps[THREADS / 32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (int back = 1; back < 32; back *= 2) {
        int add = __shfl_up_sync(0xffffffff, value, back);
        if (lane >= back) {
            value += add;
        }
    }
    if (lane == 31) {
        warps[warp] = value;
    }
    __syncthreads();
    for (int w = 0; w < warp; w++) {
        value += warps[w];
    }
    return value;
}

extern "C" __global__ void count_kept(const int *in, int *counts, int n) {
    int i = blockIdx.x * THREADS + threadIdx.x;
    int count = __syncthreads_count(i < n && is_kept(in[i]));
    if (threadIdx.x == 0) {
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
