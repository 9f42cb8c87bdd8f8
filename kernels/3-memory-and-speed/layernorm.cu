// layernorm: out[row][c] = (in[row][c] - mean) / deviation * gain[c] + bias[c],
// with mean and deviation of the row: deviation = sqrt(variance + EPSILON).
//
// in, out: (rows, cols), row-major. gain, bias: cols floats.
// One block for each row; it has a warp for each 256 columns, but at most 32.
//
// This kernel is right, but reads each element three times.

#define EPSILON 1e-5f
#define ALL_LANES 0xffffffffu

// The sum of the values of the 32 lanes, for all of them.
__device__ float warp_sum(float value) {
    for (int d = 16; d > 0; d /= 2) {
        value += __shfl_xor_sync(ALL_LANES, value, d);
    }
    return value;
}

// The sum of the values of the block's threads, for all of them. s: room for 32
// floats in shared memory, which nothing else uses.
__device__ float block_sum(float value, float *s) {
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    value = warp_sum(value);
    if (lane == 0) {
        s[warp] = value;
    }
    __syncthreads();
    return warp_sum(lane < blockDim.x / 32 ? s[lane] : 0);
}

extern "C" __global__ void layernorm(const float *in, const float *gain, const float *bias,
                                     float *out, int cols) {
    __shared__ float sums[32], squares[32];
    int t = threadIdx.x, threads = blockDim.x;
    in += (long long)blockIdx.x * cols; // from here on, in[c] is in this row
    out += (long long)blockIdx.x * cols;

    float sum = 0;
    for (int c = t; c < cols; c += threads) {
        sum += in[c];
    }
    float mean = block_sum(sum, sums) / cols;

    float square = 0;
    for (int c = t; c < cols; c += threads) {
        square += (in[c] - mean) * (in[c] - mean);
    }
    float scale = rsqrtf(block_sum(square, squares) / cols + EPSILON);

    for (int c = t; c < cols; c += threads) {
        out[c] = (in[c] - mean) * scale * gain[c] + bias[c];
    }
}
