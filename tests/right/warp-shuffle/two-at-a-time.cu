// Two elements are compared at a time.
#define ALL_LANES 0xffffffffu

extern "C" __global__ void below_the_top(const float *in, float *out, int rows, int cols) {
    int lane = threadIdx.x % 32;
    int row = blockIdx.x * 4 + threadIdx.x / 32;
    if (row < rows) {
        float largest = in[row * cols];
        int c = lane;
        for (; c + 32 < cols; c += 64) {
            largest = fmaxf(largest, fmaxf(in[row * cols + c], in[row * cols + c + 32]));
        }
        if (c < cols) {
            largest = fmaxf(largest, in[row * cols + c]);
        }
        for (int d = 16; d > 0; d /= 2) {
            largest = fmaxf(largest, __shfl_xor_sync(ALL_LANES, largest, d));
        }
        for (int c = lane; c < cols; c += 32) {
            out[row * cols + c] = in[row * cols + c] - largest;
        }
    }
}
