// Up to 512 columns of a row stay in registers between the two loops.
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
    const int lane = threadIdx.x & 31, row = blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5);
    if (row >= rows) return;
    const size_t base = (size_t)row * cols;
    float kept_g[16], kept_x[16], sum = 0, along = 0;
#pragma unroll
    for (int k = 0; k < 16; k++) {
        int c = lane + 32 * k;
        kept_g[k] = c < cols ? dy[base + c] * gain[c] : 0;
        kept_x[k] = c < cols ? xhat[base + c] : 0;
        sum += kept_g[k];
        along = fmaf(kept_g[k], kept_x[k], along);
    }
    for (int c = lane + 512; c < cols; c += 32) { float g = dy[base + c] * gain[c]; sum += g; along += g * xhat[base + c]; }
    float mean = warp_sum(sum) / cols, slope = warp_sum(along) / cols, s = scale[row];
#pragma unroll
    for (int k = 0; k < 16; k++) if (lane + 32 * k < cols) dx[base + lane + 32 * k] = s * (kept_g[k] - mean - kept_x[k] * slope);
    for (int c = lane + 512; c < cols; c += 32) dx[base + c] = s * (dy[base + c] * gain[c] - mean - xhat[base + c] * slope);
}
