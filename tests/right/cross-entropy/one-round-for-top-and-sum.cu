// Largest and sum in one round, carried over where a larger element comes.
#define THREADS 256
#define ALL_LANES 0xffffffffu
#define LOWEST -3.0e38f // below every element

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
    float at_target = row[target];

    float mine = LOWEST, sum = 0;
    for (int c = t; c < vocab; c += THREADS) {
        float x = row[c];
        kept[c] = x;
        if (x > mine) {
            sum *= expf(mine - x);
            mine = x;
        }
        sum += expf(x - mine);
    }
    float top = block_max(mine, tops);
    sum = block_sum(sum * expf(mine - top), sums);

    if (t == 0) {
        losses[blockIdx.x] = logf(sum) + (top - at_target);
    }
    for (int c = t; c < vocab; c += THREADS) {
        float share = expf(kept[c] - top) / sum;
        row[c] = c == target ? (share - 1) / tokens : share / tokens;
    }
}
