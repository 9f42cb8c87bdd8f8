// A tree of shuffles in each warp; the last thread adds the warps' sums.
extern "C" __global__ void dot_product(const float *a, const float *b, float *out,
                                       int n) {
    __shared__ float sums[8];
    int t = threadIdx.x, width = min(32, blockDim.x);
    unsigned lanes = width < 32 ? (1u << width) - 1 : 0xffffffff;
    float sum = 0;
    if (t < n) {
        sum = a[t] * b[t];
    }
    for (int d = width / 2; d >= 1; d /= 2) {
        sum += __shfl_xor_sync(lanes, sum, d);
    }
    if (t % 32 == 0) {
        sums[t / 32] = sum;
    }
    __syncthreads();
    if (t == blockDim.x - 1) {
        float all = 0;
        for (int warp = 0; warp * 32 < blockDim.x; warp++) {
            all += sums[warp];
        }
        out[0] = all;
    }
}
