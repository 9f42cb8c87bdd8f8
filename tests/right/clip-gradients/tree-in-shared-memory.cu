// The block's sum by a tree in shared memory; nothing is written where nothing changes.
#define THREADS 256
#define ALL_LANES 0xffffffffu

__device__ float block_sum(float value) {
    __shared__ float sums[THREADS];
    int t = threadIdx.x;
    sums[t] = value;
    for (int half = THREADS / 2; half > 0; half /= 2) {
        __syncthreads();
        if (t < half) {
            sums[t] += sums[t + half];
        }
    }
    __syncthreads();
    return sums[0];
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
    float scale = fminf(1, limit / sqrtf(total));
    if (scale == 1) {
        return;
    }
    for (int i = blockIdx.x * THREADS + threadIdx.x; i < n; i += gridDim.x * THREADS) {
        g[i] = scale * g[i];
    }
}
