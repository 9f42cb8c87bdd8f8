// cross_entropy: the loss of each token; the logits are replaced by their
// gradient:
//     share[c]  = exp(logits[c]) / the sum of exp(logits[…])
//     loss      = -log(share[target])
//     gradient  = (share[c] - (c == target ? 1 : 0)) / tokens
//
// logits: (tokens, vocab), row-major. targets: one number for each token; modulo
// vocab it says which word was right. losses: one for each token.
// One block of THREADS threads for each token.
//
// This kernel is right, but reads each logit four times and writes it twice.

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

extern "C" __global__ void cross_entropy(float *logits, const int *targets, float *losses,
                                         int tokens, int vocab) {
    extern __shared__ float kept[]; // room for vocab floats, not yet used
    __shared__ float tops[32], sums[32];
    int t = threadIdx.x;
    float *row = logits + (long long)blockIdx.x * vocab;
    int target = targets[blockIdx.x] % vocab;

    float top = LOWEST;
    for (int c = t; c < vocab; c += THREADS) {
        top = fmaxf(top, row[c]);
    }
    top = block_max(top, tops);

    float sum = 0;
    for (int c = t; c < vocab; c += THREADS) {
        sum += expf(row[c] - top);
    }
    sum = block_sum(sum, sums);

    // The loss. top and row[target] are far from 0 and near each other: their
    // difference first. The barrier: row[target] is overwritten by another thread.
    if (t == 0) {
        losses[blockIdx.x] = logf(sum) + (top - row[target]);
    }
    __syncthreads();

    // The shares, and then the gradient.
    for (int c = t; c < vocab; c += THREADS) {
        row[c] = expf(row[c] - top) / sum;
    }
    for (int c = t; c < vocab; c += THREADS) {
        row[c] = (row[c] - (c == target ? 1 : 0)) / tokens;
    }
}
