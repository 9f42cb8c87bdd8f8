// The largest gathers in lane 0 by __shfl_down_sync(), and goes to all from there.
extern "C" __global__ void below_the_top(const float *in, float *out, int rows, int cols) {
    int lane = threadIdx.x % 32;
    int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    if (row >= rows) {
        return;
    }
    in += row * cols;
    out += row * cols;
    float largest = -3.0e38f;
    for (int c = lane; c < cols; c += 32) {
        largest = in[c] > largest ? in[c] : largest;
    }
    for (int d = 16; d > 0; d /= 2) {
        float other = __shfl_down_sync(0xffffffff, largest, d);
        largest = fmaxf(largest, other);
    }
    largest = __shfl_sync(0xffffffff, largest, 0);
    for (int c = lane; c < cols; c += 32) {
        out[c] = in[c] - largest;
    }
}
