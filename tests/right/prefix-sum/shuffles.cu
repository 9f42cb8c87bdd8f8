// The block's scan is made of shuffles: one in each warp, one of the warps' sums.
#define THREADS 256

__device__ float warp_scan(float value, int lane) {
    for (int back = 1; back < 32; back *= 2) {
        float before = __shfl_up_sync(0xffffffff, value, back);
        if (lane >= back) {
            value += before;
        }
    }
    return value;
}

extern "C" __global__ void scan_blocks(const float *in, float *out, float *sums, int n) {
    __shared__ float s[THREADS / 32];
    int t = threadIdx.x, lane = t % 32, warp = t / 32;
    int i = blockIdx.x * THREADS + t;
    float sum = warp_scan(i < n ? in[i] : 0, lane);
    if (lane == 31) {
        s[warp] = sum;
    }
    __syncthreads();
    if (warp == 0) {
        float all = warp_scan(lane < THREADS / 32 ? s[lane] : 0, lane);
        if (lane < THREADS / 32) {
            s[lane] = all;
        }
    }
    __syncthreads();
    if (warp > 0) {
        sum += s[warp - 1];
    }
    if (i < n) {
        out[i] = sum;
    }
    if (t == THREADS - 1) {
        sums[blockIdx.x] = sum;
    }
}

extern "C" __global__ void add_offsets(const float *offsets, float *out, int n) {
    int i = (blockIdx.x + 1) * THREADS + threadIdx.x;
    if (i < n) {
        out[i] += offsets[blockIdx.x];
    }
}
