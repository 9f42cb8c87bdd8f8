// Largest and sum by trees in shared memory.
#define THREADS 256
#define ALL_LANES 0xffffffffu
#define LOWEST -3.0e38f // below every element

__device__ float block_max(float value, float *s) {
    int t = threadIdx.x;
    s[t] = value;
    for (int half = THREADS / 2; half > 0; half /= 2) {
        __syncthreads();
        if (t < half) {
            s[t] = fmaxf(s[t], s[t + half]);
        }
    }
    __syncthreads();
    return s[0];
}

__device__ float block_sum(float value, float *s) {
    int t = threadIdx.x;
    s[t] = value;
    for (int half = THREADS / 2; half > 0; half /= 2) {
        __syncthreads();
        if (t < half) {
            s[t] += s[t + half];
        }
    }
    __syncthreads();
    return s[0];
}

extern "C" __global__ void cross_entropy(float *logits, const int *targets, float *losses,
                                         int tokens, int vocab) {
    extern __shared__ float kept[]; // the row: logits, then their powers
    __shared__ float tops[THREADS], sums[THREADS];
    int t = threadIdx.x;
    float *row = logits + (long long)blockIdx.x * vocab;
    int target = targets[blockIdx.x] % vocab;
    float at_target = row[target];

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

    if (t == 0) {
        losses[blockIdx.x] = logf(sum) + (top - at_target);
    }
    for (int c = t; c < vocab; c += THREADS) {
        row[c] = (kept[c] / sum - (c == target ? 1 : 0)) / tokens;
    }
}
