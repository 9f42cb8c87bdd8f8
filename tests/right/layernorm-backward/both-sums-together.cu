// Both sums go through the shuffles together, as a float2.
#define ALL_LANES 0xffffffffu

__device__ float2 warp_sums(float2 value) {
    for (int d = 1; d < 32; d *= 2) {
        value.x += __shfl_xor_sync(ALL_LANES, value.x, d);
        value.y += __shfl_xor_sync(ALL_LANES, value.y, d);
    }
    return value;
}

extern "C" __global__ void layernorm_backward(const float *dy, const float *xhat,
                                              const float *gain, const float *scale, float *dx,
                                              int rows, int cols) {
    int lane = threadIdx.x % 32;
    int row = blockIdx.x * 4 + threadIdx.x / 32;
    if (row < rows) { // the same for the whole warp
        dy += (long long)row * cols;
        xhat += (long long)row * cols;
        dx += (long long)row * cols;

        float2 sums = make_float2(0, 0);
        for (int c = cols - 1 - lane; c >= 0; c -= 32) {
            float g = dy[c] * gain[c];
            sums.x += g;
            sums.y = fmaf(g, xhat[c], sums.y);
        }
        sums = warp_sums(sums);
        float mean = sums.x / cols, slope = sums.y / cols;

        for (int c = lane; c < cols; c += 32) {
            float g = dy[c] * gain[c];
            dx[c] = scale[row] * (g - mean - xhat[c] * slope);
        }
    }
}
