// Clip gradients: if the length of g (the root of the sum of its squares) is more
// than limit, make it limit, by multiplying every number by limit / length.
//
// g: n floats, changed in place. parts: a float for each block, which the first
// launch passes to the second. Both launches have the same number of blocks of
// THREADS threads: at most 16, so a thread takes elements a whole grid apart.

#define THREADS 256
#define ALL_LANES 0xffffffffu

// Returns the sum of the values of the block's threads to all of them. To be called
// once, by all threads.
__device__ float block_sum(float value) {
    __shared__ float sums[THREADS / 32];
    for (int d = 16; d > 0; d /= 2) {
        value += __shfl_xor_sync(ALL_LANES, value, d);
    }
    if (threadIdx.x % 32 == 0) {
        sums[threadIdx.x / 32] = value;
    }
    __syncthreads();
    float sum = 0;
    for (int warp = 0; warp < THREADS / 32; warp++) {
        sum += sums[warp];
    }
    return sum;
}

// First launch.
extern "C" __global__ void square_sums(const float *g, float *parts, int n) {
    // Write here: the block's part of the sum of squares.
}

// Second launch.
extern "C" __global__ void clip(float *g, const float *parts, float limit, int n) {
    // Write here: the sum of all parts, then the clipping.
}
