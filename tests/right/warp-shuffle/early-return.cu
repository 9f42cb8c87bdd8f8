// Warps without a row return; partners come near first, far last.
extern "C" __global__ void below_the_top(const float *in, float *out, int rows, int cols) {
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
    if (warp >= rows) {
        return;
    }
    const float *row = in + warp * cols;
    float top = -INFINITY;
    for (int c = cols - 1 - lane; c >= 0; c -= 32) {
        top = max(top, row[c]);
    }
    for (int d = 1; d <= 16; d <<= 1) {
        float other = __shfl_xor_sync(~0u, top, d);
        if (other > top) {
            top = other;
        }
    }
    for (int c = lane; c < cols; c += 32) {
        out[warp * cols + c] = row[c] - top;
    }
}
