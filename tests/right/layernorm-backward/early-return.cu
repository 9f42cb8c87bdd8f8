// Warps without a row return; sums go down and are told by lane 0.
#define ALL_LANES 0xffffffffu

__device__ float warp_sum(float value) {
    for (int d = 16; d > 0; d /= 2) {
        value += __shfl_down_sync(ALL_LANES, value, d);
    }
    return __shfl_sync(ALL_LANES, value, 0);
}

extern "C" __global__ void layernorm_backward(const float *dy, const float *xhat,
                                              const float *gain, const float *scale, float *dx,
                                              int rows, int cols) {
    int lane = threadIdx.x % 32;
    int row = blockIdx.x * 4 + threadIdx.x / 32;
    if (row >= rows) {
        return;
    }
    float factor = scale[row];
    {
        dy += (long long)row * cols;
        xhat += (long long)row * cols;
        dx += (long long)row * cols;

        float sum = 0, along = 0;
        for (int c = lane; c < cols; c += 32) {
            float g = dy[c] * gain[c];
            sum += g;
            along += g * xhat[c];
        }
        float mean = warp_sum(sum) / cols;
        float slope = warp_sum(along) / cols;

        for (int c = lane; c < cols; c += 32) {
            float g = dy[c] * gain[c];
            float rest = g - mean;
            dx[c] = factor * fmaf(-xhat[c], slope, rest);
        }
    }
}
