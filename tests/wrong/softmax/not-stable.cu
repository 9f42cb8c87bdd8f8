// Leaves out the largest: exp of such numbers is too small for a float.
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
    __shared__ float sums[32];
    int t = threadIdx.x, threads = blockDim.x;
    int warp = t / 32, lane = t % 32;
    in += (long long)blockIdx.x * cols;
    out += (long long)blockIdx.x * cols;

    float sum = 0;
    for (int c = t; c < cols; c += threads) {
        sum += expf(in[c]);
    }
    sum = warp_sum(sum);
    if (lane == 0) {
        sums[warp] = sum;
    }
    __syncthreads();
    sum = warp_sum(lane < threads / 32 ? sums[lane] : 0);
    for (int c = t; c < cols; c += threads) {
        out[c] = expf(in[c]) / sum; //~ wrong-result
    }
}
