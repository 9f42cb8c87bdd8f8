// A tree of shuffles in each warp; the first thread adds the warps' sums.
extern "C" __global__ void axis_sum(const float *in, float *out, int rows, int cols) {
    __shared__ float sums[8];
    int t = threadIdx.x, row = blockIdx.y;
    unsigned lanes = blockDim.x < 32 ? (1u << blockDim.x) - 1 : 0xffffffff;
    float sum = 0;
    if (t < cols) {
        sum = in[row * cols + t];
    }
    for (int half = min(32, blockDim.x) / 2; half > 0; half /= 2) {
        sum += __shfl_down_sync(lanes, sum, half);
    }
    if (t % 32 == 0) {
        sums[t / 32] = sum;
    }
    __syncthreads();
    if (t == 0) {
        for (int warp = 1; warp < blockDim.x / 32; warp++) {
            sum += sums[warp];
        }
        out[row] = sum;
    }
}
