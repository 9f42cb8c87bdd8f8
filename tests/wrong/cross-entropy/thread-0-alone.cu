// Right, but thread 0 finds largest and sum alone.
#define THREADS 256
#define ALL_LANES 0xffffffffu
#define LOWEST -3.0e38f // below every element

// Returns the largest value of the block's threads to all of them. s: room for 32
// floats in shared memory, which nothing else uses.
__device__ float block_max(float value, float *s) {
    for (int d = 16; d > 0; d /= 2) {
        value = fmaxf(value, __shfl_xor_sync(ALL_LANES, value, d));
    }
    if (threadIdx.x % 32 == 0) {
        s[threadIdx.x / 32] = value;
    }
    __syncthreads();
    for (int warp = 0; warp < THREADS / 32; warp++) {
        value = fmaxf(value, s[warp]);
    }
    return value;
}

// Returns the sum of the block's values to all threads. s: as above.
__device__ float block_sum(float value, float *s) {
    for (int d = 16; d > 0; d /= 2) {
        value += __shfl_xor_sync(ALL_LANES, value, d);
    }
    if (threadIdx.x % 32 == 0) {
        s[threadIdx.x / 32] = value;
    }
    __syncthreads();
    float sum = 0;
    for (int warp = 0; warp < THREADS / 32; warp++) {
        sum += s[warp];
    }
    return sum;
}

extern "C" __global__ void cross_entropy(float *logits, const int *targets, float *losses, //~ too-much-work: shared_reads_per_thread
                                         int tokens, int vocab) {
    extern __shared__ float kept[];
    __shared__ float total, best;
    float *row = logits + (size_t)blockIdx.x * vocab;
    const int t = threadIdx.x, target = targets[blockIdx.x] % vocab;
    for (int c = t; c < vocab; c += THREADS) kept[c] = row[c];
    __syncthreads();
    if (t == 0) {
        float top = LOWEST, sum = 0;
#pragma unroll 8
        for (int c = 0; c < vocab; c++) top = fmaxf(top, kept[c]);
#pragma unroll 8
        for (int c = 0; c < vocab; c++) sum += __expf(kept[c] - top);
        losses[blockIdx.x] = logf(sum) + (top - kept[target]);
        best = top; total = sum;
    }
    __syncthreads();
    for (int c = t; c < vocab; c += THREADS) row[c] = (expf(kept[c] - best) / total - (c == target)) / tokens;
}
