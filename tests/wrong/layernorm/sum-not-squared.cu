// Subtracts the mean for the variance, not its square.
#define EPSILON 1e-5f
#define ALL_LANES 0xffffffffu

__device__ float warp_sum(float value) {
    for (int d = 16; d > 0; d /= 2) {
        value += __shfl_xor_sync(ALL_LANES, value, d);
    }
    return value;
}

extern "C" __global__ void layernorm(const float *in, const float *gain, const float *bias,
                                     float *out, int cols) {
    __shared__ float sums[32], squares[32];
    int t = threadIdx.x, threads = blockDim.x;
    int warp = t / 32, lane = t % 32;
    in += (long long)blockIdx.x * cols;
    out += (long long)blockIdx.x * cols;

    float shift = in[0];
    float sum = 0, square = 0;
    for (int c = t; c < cols; c += threads) {
        float d = in[c] - shift;
        sum += d;
        square += d * d;
    }
    sum = warp_sum(sum);
    square = warp_sum(square);
    if (lane == 0) {
        sums[warp] = sum;
        squares[warp] = square;
    }
    __syncthreads();
    sum = warp_sum(lane < threads / 32 ? sums[lane] : 0);
    square = warp_sum(lane < threads / 32 ? squares[lane] : 0);

    float mean_d = sum / cols;
    float mean = shift + mean_d;
    float scale = rsqrtf(fmaxf(square / cols - mean_d, 0) + EPSILON);
    for (int c = t; c < cols; c += threads) {
        out[c] = (in[c] - mean) * scale * gain[c] + bias[c]; //~ wrong-result
    }
}
