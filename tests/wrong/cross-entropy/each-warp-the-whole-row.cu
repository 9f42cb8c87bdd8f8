// Right, but every warp goes through the whole row, in shared memory.
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
    float *row = logits + (size_t)blockIdx.x * vocab;
    const int t = threadIdx.x, lane = t % 32, target = targets[blockIdx.x] % vocab;
    for (int c = t; c < vocab; c += THREADS) kept[c] = row[c];
    __syncthreads();
    float top = LOWEST, sum = 0;
    for (int c = lane; c < vocab; c += 32) top = fmaxf(top, kept[c]);
    for (int d = 16; d; d /= 2) top = fmaxf(top, __shfl_xor_sync(ALL_LANES, top, d));
    for (int c = lane; c < vocab; c += 32) sum += expf(kept[c] - top);
    for (int d = 16; d; d /= 2) sum += __shfl_xor_sync(ALL_LANES, sum, d);
    if (t == 0) losses[blockIdx.x] = logf(sum) + (top - kept[target]);
    for (int c = t; c < vocab; c += THREADS) row[c] = (expf(kept[c] - top) / sum - (c == target)) / tokens;
}
