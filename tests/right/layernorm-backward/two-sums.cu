// Each lane has two of either sum, for every other 32 columns.
#define ALL_LANES 0xffffffffu

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
    if (row < rows) { // the same for the whole warp
        dy += (long long)row * cols;
        xhat += (long long)row * cols;
        dx += (long long)row * cols;

        float sum = 0, along = 0;
        float sum2 = 0, along2 = 0;
        int c = lane;
        for (; c + 32 < cols; c += 64) {
            float g = dy[c] * gain[c], g2 = dy[c + 32] * gain[c + 32];
            sum += g;
            sum2 += g2;
            along += g * xhat[c];
            along2 += g2 * xhat[c + 32];
        }
        if (c < cols) {
            float g = dy[c] * gain[c];
            sum += g;
            along += g * xhat[c];
        }
        sum += sum2;
        along += along2;
        float mean = warp_sum(sum) / cols;
        float slope = warp_sum(along) / cols;

        for (int c = lane; c < cols; c += 32) {
            float g = dy[c] * gain[c];
            dx[c] = scale[row] * (g - mean - xhat[c] * slope);
        }
    }
}
