// Compares the square of the length with the limit.
#define THREADS 256
#define ALL_LANES 0xffffffffu

__device__ float block_sum(float value) {
    __shared__ float sums[THREADS / 32];
    for (int d = 16; d > 0; d /= 2) {
        value += __shfl_xor_sync(ALL_LANES, value, d);
    }
    if (threadIdx.x % 32 == 0) {
        sums[threadIdx.x / 32] = value;
    }
    __syncthreads();
    float sum = 0;
    for (int warp = 0; warp < THREADS / 32; warp++) {
        sum += sums[warp];
    }
    return sum;
}

extern "C" __global__ void square_sums(const float *g, float *parts, int n) {
    float sum = 0;
    for (int i = blockIdx.x * THREADS + threadIdx.x; i < n; i += gridDim.x * THREADS) {
        sum += g[i] * g[i];
    }
    sum = block_sum(sum);
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = sum;
    }
}

extern "C" __global__ void clip(float *g, const float *parts, float limit, int n) {
    float total = 0;
    for (int b = 0; b < gridDim.x; b++) {
        total += parts[b];
    }
    float scale = total > limit ? limit / sqrtf(total) : 1;
    for (int i = blockIdx.x * THREADS + threadIdx.x; i < n; i += gridDim.x * THREADS) {
        g[i] *= scale; //~ wrong-result
    }
}
