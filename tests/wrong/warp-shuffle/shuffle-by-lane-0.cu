// Lane 0 alone collects what the others have: they don't take part.
extern "C" __global__ void below_the_top(const float *in, float *out, int rows, int cols) {
    int lane = threadIdx.x % 32;
    int row = blockIdx.x * 4 + threadIdx.x / 32;
    if (row < rows) {
        float largest = in[row * cols];
        for (int c = lane; c < cols; c += 32) {
            largest = fmaxf(largest, in[row * cols + c]);
        }
        if (lane == 0) {
            for (int from = 1; from < 32; from++) {
                largest = fmaxf(largest, __shfl_sync(0xffffffff, largest, from)); //~ warp-mask
            }
        }
        largest = __shfl_sync(0xffffffff, largest, 0);
        for (int c = lane; c < cols; c += 32) {
            out[row * cols + c] = in[row * cols + c] - largest;
        }
    }
}
