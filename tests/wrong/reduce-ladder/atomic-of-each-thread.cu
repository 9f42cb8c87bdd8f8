// All 256 threads add to one number, one after the other.
// reduce: add up n numbers.
//
// Launched twice, with THREADS threads a block:
//   1. reduce(in, sums, n)           one block for 2048 elements, at most 64
//   2. reduce(sums, out, blocks)     one block
// So each block adds up its share of `in` and writes one sum.

#define THREADS 256 // a power of two
#define ALL_LANES 0xffffffffu

// The sum of `value` over the 32 threads of a warp; only lane 0 gets it.
__device__ float warp_sum(float value) {
    // The tree of block-sum inside one warp: values go from thread to thread
    // through registers: there is nothing to store and nobody to wait for.
    for (int half = 16; half > 0; half /= 2) {
        value += __shfl_down_sync(ALL_LANES, value, half);
    }
    return value;
}

extern "C" __global__ void reduce(const float *in, float *sums, int n) { //~ too-much-work: shared_atomics
    __shared__ float s;
    int t = threadIdx.x;
    if (t == 0) {
        s = 0;
    }
    __syncthreads();

    // Neighbouring threads read neighbouring elements, four at a time: the 32
    // reads of a warp fill sixteen sectors completely. Then all jump ahead by
    // the whole grid. No read waits for a sum, so the compiler writes out some
    // rounds in one, with all their reads on the way before the first is added.
    const float4 *fours = (const float4 *)in;
    float sum = 0;
    int first = blockIdx.x * THREADS + t, jump = gridDim.x * THREADS;
    for (int q = first; q < n / 4; q += jump) {
        float4 v = fours[q];
        sum += (v.x + v.y) + (v.z + v.w);
    }
    // Up to three are left over: one each for the first threads.
    if (first < n % 4) {
        sum += in[n / 4 * 4 + first];
    }

    atomicAdd(&s, sum);
    __syncthreads();
    if (t == 0) {
        sums[blockIdx.x] = s;
    }
}
