// Keeps a row in an array for 5001 logits.

#define THREADS 256
#define ALL_LANES 0xffffffffu
#define LOWEST -3.0e38f // below every element

// The largest value of the block's threads, for all of them. s: room for 32
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

// The sum of the values of the block's threads, for all of them. s: as above.
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
    __shared__ float kept[5001]; // the row: logits, then their powers
    __shared__ float tops[32], sums[32];
    int t = threadIdx.x;
    float *row = logits + (long long)blockIdx.x * vocab;
    int target = targets[blockIdx.x] % vocab;
    // The only element that another thread has. Nobody writes to the row before
    // two barriers from here.
    float at_target = row[target];

    // The one reading. A thread keeps its elements where it alone will look for
    // them, so no barrier is needed for them.
    float top = LOWEST;
    for (int c = t; c < vocab; c += THREADS) {
        kept[c] = row[c]; //~ shared-out-of-bounds
        top = fmaxf(top, kept[c]);
    }
    top = block_max(top, tops);

    float sum = 0;
    for (int c = t; c < vocab; c += THREADS) {
        kept[c] = expf(kept[c] - top);
        sum += kept[c];
    }
    sum = block_sum(sum, sums);

    // -log(exp(x - top) / sum), without a power that may be 0. The two that are
    // far from 0 come first: their difference is small, and hardly rounded.
    if (t == 0) {
        losses[blockIdx.x] = logf(sum) + (top - at_target);
    }
    // The one writing.
    for (int c = t; c < vocab; c += THREADS) {
        row[c] = (kept[c] / sum - (c == target ? 1 : 0)) / tokens;
    }
}
