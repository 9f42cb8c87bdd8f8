// A tree of shuffles in each warp, then one over the warps.
extern "C" __global__ void block_sum(const float *in, float *out, int n) {
    __shared__ float s[8];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t, warp = t / 32, lane = t % 32;
    int width = blockDim.x < 32 ? blockDim.x : 32, warps = (blockDim.x + 31) / 32;
    unsigned mask = width == 32 ? 0xffffffff : (1u << width) - 1;
    float sum = i < n ? in[i] : 0;
    for (int half = width / 2; half > 0; half /= 2) {
        sum += __shfl_down_sync(mask, sum, half);
    }
    if (lane == 0) {
        s[warp] = sum;
    }
    __syncthreads();
    if (warp == 0) {
        sum = lane < warps ? s[lane] : 0;
        for (int half = width / 2; half > 0 && warps > 1; half /= 2) {
            sum += __shfl_down_sync(mask, sum, half);
        }
        if (lane == 0) {
            out[blockIdx.x] = sum;
        }
    }
}
