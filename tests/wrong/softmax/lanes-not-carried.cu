// The lanes add up sums that belong to different tops.
#define ALL_LANES 0xffffffffu
#define LOWEST -3.0e38f

__device__ float warp_max(float value) {
    for (int d = 16; d > 0; d /= 2) {
        value = fmaxf(value, __shfl_xor_sync(ALL_LANES, value, d));
    }
    return value;
}

__device__ float warp_sum(float value) {
    for (int d = 16; d > 0; d /= 2) {
        value += __shfl_xor_sync(ALL_LANES, value, d);
    }
    return value;
}

extern "C" __global__ void softmax(const float *in, float *out, int cols) {
    __shared__ float tops[32], sums[32];
    int t = threadIdx.x, threads = blockDim.x;
    int warp = t / 32, lane = t % 32;
    in += (long long)blockIdx.x * cols;
    out += (long long)blockIdx.x * cols;

    float top = LOWEST, sum = 0;
    for (int c = t; c < cols; c += threads) {
        float before = top;
        top = fmaxf(top, in[c]);
        sum = sum * expf(before - top) + expf(in[c] - top);
    }
    float warp_top = warp_max(top);
    sum = warp_sum(sum);
    if (lane == 0) {
        tops[warp] = warp_top;
        sums[warp] = sum;
    }
    __syncthreads();
    float other_top = lane < threads / 32 ? tops[lane] : LOWEST;
    float other_sum = lane < threads / 32 ? sums[lane] : 0;
    top = warp_max(other_top);
    sum = warp_sum(other_sum * expf(other_top - top));

    for (int c = t; c < cols; c += threads) {
        out[c] = expf(in[c] - top) / sum; //~ wrong-result
    }
}
