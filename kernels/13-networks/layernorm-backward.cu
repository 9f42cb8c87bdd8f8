// layernorm_backward: the gradient of layernorm's input.
//
// Forwards it was, in each row,
//     xhat = (x - mean) * scale,    y = xhat * gain + bias
//
// dy, xhat, dx: (rows, cols), row-major. gain: cols floats, scale: rows floats.
// dy is given: how much the loss changes with each y. xhat and scale were kept.
// Blocks of 128 threads: four warps, each with a row of its own.

#define ALL_LANES 0xffffffffu

// Returns the sum of the 32 lanes' values to all of them.
__device__ float warp_sum(float value) {
    for (int d = 16; d > 0; d /= 2) {
        value += __shfl_xor_sync(ALL_LANES, value, d);
    }
    return value;
}

extern "C" __global__ void layernorm_backward(const float *dy, const float *xhat,
                                              const float *gain, const float *scale, float *dx,
                                              int rows, int cols) {
    int lane = threadIdx.x % 32;
    int row = blockIdx.x * 4 + threadIdx.x / 32;
    // Write here what a lane does.
}
