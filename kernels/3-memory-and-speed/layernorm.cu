// layernorm: out[row][c] = (in[row][c] - mean) / deviation * gain[c] + bias[c],
// with mean and deviation of the row: deviation = sqrt(variance + EPSILON).
//
// in, out: (rows, cols), row-major. gain, bias: cols floats.
// One block for each row; it has a warp for each 256 columns, but at most 32.
//
// This kernel is right, but reads each element three times, and waits a lot.

#define MOST 1024 // threads a block
#define EPSILON 1e-5f

// The sum of the values of the block's threads, for all of them. s: MOST floats.
__device__ float block_sum(float value, float *s) {
    int t = threadIdx.x;
    s[t] = value;
    __syncthreads();
    // The number of threads need not be a power of two: half of it, rounded up.
    for (int n = blockDim.x; n > 1; n = (n + 1) / 2) {
        int half = (n + 1) / 2;
        if (t + half < n) {
            s[t] += s[t + half];
        }
        __syncthreads();
    }
    float sum = s[0];
    __syncthreads(); // before s is used again
    return sum;
}

extern "C" __global__ void layernorm(const float *in, const float *gain, const float *bias,
                                     float *out, int cols) {
    __shared__ float s[MOST];
    int t = threadIdx.x, threads = blockDim.x;
    in += (long long)blockIdx.x * cols; // from here on, in[c] is in this row
    out += (long long)blockIdx.x * cols;

    float sum = 0;
    for (int c = t; c < cols; c += threads) {
        sum += in[c];
    }
    float mean = block_sum(sum, s) / cols;

    float square = 0;
    for (int c = t; c < cols; c += threads) {
        square += (in[c] - mean) * (in[c] - mean);
    }
    float scale = rsqrtf(block_sum(square, s) / cols + EPSILON);

    for (int c = t; c < cols; c += threads) {
        out[c] = (in[c] - mean) * scale * gain[c] + bias[c];
    }
}
