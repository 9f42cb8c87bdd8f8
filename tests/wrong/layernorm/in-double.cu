// The formula without a shift, in double: the digits last, but it is slow.
#define EPSILON 1e-5f
#define ALL_LANES 0xffffffffu

// The sum of the values of the block's threads, for all of them. s: room for 32
// numbers in shared memory, which nothing else uses.
__device__ double block_sum(double value, double *s) {
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    for (int d = 16; d > 0; d /= 2) {
        value += __shfl_xor_sync(ALL_LANES, value, d);
    }
    if (lane == 0) {
        s[warp] = value;
    }
    __syncthreads();
    double sum = 0;
    for (int w = 0; w < blockDim.x / 32; w++) {
        sum += s[w];
    }
    return sum;
}

extern "C" __global__ void layernorm(const float *in, const float *gain, const float *bias, //~ too-much-work: flops_f64
                                     float *out, int cols) {
    __shared__ double sums[32], squares[32];
    int t = threadIdx.x, threads = blockDim.x;
    in += (long long)blockIdx.x * cols;
    out += (long long)blockIdx.x * cols;
    double sum = 0, square = 0;
    for (int c = t; c < cols; c += threads) {
        double x = in[c];
        sum += x;
        square += x * x;
    }
    double mean = block_sum(sum, sums) / cols;
    float scale = rsqrtf((float)(block_sum(square, squares) / cols - mean * mean) + EPSILON);
    for (int c = t; c < cols; c += threads) {
        out[c] = (float)(in[c] - mean) * scale * gain[c] + bias[c];
    }
}
