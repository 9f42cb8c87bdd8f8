// reduce: add up n numbers. This kernel is right, but waits too
// often.
//
// Launched twice, with THREADS threads a block:
//   1. reduce(in, sums, n)           one block for 2048 elements, at most 64
//   2. reduce(sums, out, blocks)     one block
// So each block adds up its share of `in` and writes one sum.

#define THREADS 256 // a power of two

// The sum of `value` over the 32 lanes of a warp, which all call this
// together; only lane 0 gets it.
__device__ float warp_sum(float value) {
    for (int half = 16; half > 0; half /= 2) {
        // The value of the lane `half` above this one. (Past lane 31 a lane gets its
        // own value back; the sum of lane 0 contains none of those.)
        value += __shfl_down_sync(0xffffffff, value, half);
    }
    return value;
}

extern "C" __global__ void reduce(const float *in, float *sums, int n) {
    __shared__ float s[THREADS];
    int t = threadIdx.x;

    // Neighbouring threads read neighbouring elements, four sectors for a warp.
    float sum = 0;
    int threads = gridDim.x * THREADS;
    for (int i = blockIdx.x * THREADS + t; i < n; i += threads) {
        sum += in[i];
    }
    s[t] = sum;
    __syncthreads();

    // A tree of eight steps, each with a barrier.
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (t < half) {
            s[t] += s[t + half];
        }
        __syncthreads();
    }

    if (t == 0) {
        sums[blockIdx.x] = s[0];
    }
}
