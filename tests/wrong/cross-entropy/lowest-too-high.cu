// The largest starts from a value that is not below every logit.
#define THREADS 256
#define ALL_LANES 0xffffffffu
#define LOWEST -100000.0f // below these logits

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

extern "C" __global__ void cross_entropy(float *logits, const int *targets, float *losses,
                                         int tokens, int vocab) {
    extern __shared__ float kept[]; // the row: logits, then their powers
    __shared__ float tops[32], sums[32];
    int t = threadIdx.x;
    float *row = logits + (long long)blockIdx.x * vocab;
    int target = targets[blockIdx.x] % vocab;
    // The only element that belongs to another thread. Nobody writes to the row until
    // two barriers later.
    float at_target = row[target];

    // The only reading. A thread keeps its elements where only it will look for them,
    // so they need no barrier.
    float top = LOWEST;
    for (int c = t; c < vocab; c += THREADS) {
        kept[c] = row[c];
        top = fmaxf(top, kept[c]);
    }
    top = block_max(top, tops);

    float sum = 0;
    for (int c = t; c < vocab; c += THREADS) {
        kept[c] = expf(kept[c] - top);
        sum += kept[c];
    }
    sum = block_sum(sum, sums);

    // -log(exp(x - top) / sum), without a power that may be 0. The two that are far
    // from 0 come first: their difference is small, with little rounding.
    if (t == 0) {
        losses[blockIdx.x] = logf(sum) + (top - at_target);
    }
    // The only writing.
    for (int c = t; c < vocab; c += THREADS) {
        row[c] = (kept[c] / sum - (c == target ? 1 : 0)) / tokens; //~ wrong-result
    }
}
