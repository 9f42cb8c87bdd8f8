// Right, by shuffles, but the variance has a reading of its own.
#define EPSILON 1e-5f
#define ALL_LANES 0xffffffffu

__device__ float warp_sum(float value) {
    for (int d = 16; d > 0; d /= 2) {
        value += __shfl_xor_sync(ALL_LANES, value, d);
    }
    return value;
}

extern "C" __global__ void layernorm(const float *in, const float *gain, const float *bias, //~ too-much-work: global_reads
                                     float *out, int cols) {
    __shared__ float sums[32], squares[32];
    int t = threadIdx.x, threads = blockDim.x;
    int warp = t / 32, lane = t % 32;
    in += (long long)blockIdx.x * cols;
    out += (long long)blockIdx.x * cols;

    float sum = 0, square = 0;
    for (int c = t; c < cols; c += threads) {
        sum += in[c];
    }
    sum = warp_sum(sum);
    if (lane == 0) {
        sums[warp] = sum;
    }
    __syncthreads();
    float mean = warp_sum(lane < threads / 32 ? sums[lane] : 0) / cols;
    for (int c = t; c < cols; c += threads) {
        square += (in[c] - mean) * (in[c] - mean);
    }
    square = warp_sum(square);
    if (lane == 0) {
        squares[warp] = square;
    }
    __syncthreads();
    float scale = rsqrtf(warp_sum(lane < threads / 32 ? squares[lane] : 0) / cols + EPSILON);
    for (int c = t; c < cols; c += threads) {
        out[c] = (in[c] - mean) * scale * gain[c] + bias[c];
    }
}
