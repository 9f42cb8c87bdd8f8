// batched_dot: out[row] = the dot product of row `row` of a and of b.
//
// a, b: (batch, n), row-major. out: batch floats.
// t:    room for (batch, n) floats, not needed afterwards.
// Blocks of 256 threads: eight warps, each with a row of its own.

#define ALL_LANES 0xffffffffu

extern "C" __global__ void batched_dot(const float *a, const float *b, float *t, float *out,
                                       int batch, int n) {
    int lane = threadIdx.x % 32;
    int row = blockIdx.x * 8 + threadIdx.x / 32;
    // The whole warp has one row, so either all of its lanes enter, or none.
    if (row < batch) {
        // Each lane adds up its own products: none is stored.
        float sum = 0;
#pragma unroll 4 // several reads in flight at a time
        for (int i = lane; i < n; i += 32) {
            sum += a[row * n + i] * b[row * n + i];
        }
        // 32 sums in the lanes of the warp: fold the upper half onto the lower,
        // until lane 0 has all.
        for (int d = 16; d > 0; d /= 2) {
            sum += __shfl_down_sync(ALL_LANES, sum, d);
        }
        if (lane == 0) {
            out[row] = sum;
        }
    }
}
