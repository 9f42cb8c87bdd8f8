__device__ float block_max(float value, float *tops) {
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    for (int d = 16; d > 0; d /= 2) value = fmaxf(value, __shfl_xor_sync(0xffffffffu, value, d));
    if (lane == 0) {
        tops[warp] = value;
    }
    __syncthreads();
    float top = tops[0];
    for (int k = 1; k < blockDim.x / 32; k++) {
        top = fmaxf(top, tops[k]);
    }
    return top;
}

__device__ float block_sum(float value, float *sums) {
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    for (int d = 16; d > 0; d /= 2) value += __shfl_xor_sync(0xffffffffu, value, d);
    if (lane == 0) {
        sums[warp] = value;
    }
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < blockDim.x / 32; k++) {
        sum += sums[k];
    }
    return sum;
}

extern "C" __global__ void softmax(const float *in, float *out, int cols) {
    __shared__ float tops[32], sums[32];
    int t = threadIdx.x;
    in += (long long)blockIdx.x * cols;
    out += (long long)blockIdx.x * cols;
    float top = -3.0e38f;
    for (int c = t; c < cols; c += blockDim.x) top = fmaxf(top, in[c]);
    if (t < cols) top = block_max(top, tops);
    float sum = 0;
    for (int c = t; c < cols; c += blockDim.x) sum += expf(in[c] - top);
    sum = block_sum(sum, sums);
    for (int c = t; c < cols; c += blockDim.x) out[c] = expf(in[c] - top) / sum;
}
