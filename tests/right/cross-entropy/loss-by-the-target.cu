// The thread that has the target says the loss; powers are found a second time.
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
    

    float top = LOWEST;
    for (int c = t; c < vocab; c += THREADS) {
        kept[c] = row[c];
        top = fmaxf(top, kept[c]);
    }
    top = block_max(top, tops);

    float sum = 0;
    for (int c = t; c < vocab; c += THREADS) {
        sum += expf(kept[c] - top);
    }
    sum = block_sum(sum, sums);

    float inverse = 1.0f / tokens;
    for (int c = t; c < vocab; c += THREADS) {
        float share = expf(kept[c] - top) / sum;
        if (c == target) {
            losses[blockIdx.x] = logf(sum) + (top - kept[c]);
            share -= 1;
        }
        row[c] = share * inverse;
    }
}
