// Right, but three readings, and trees with a barrier for each step.
#define MOST 1024
#define EPSILON 1e-5f

__device__ float block_sum(float value, float *s) {
    int t = threadIdx.x;
    s[t] = value;
    __syncthreads();

    for (int n = blockDim.x; n > 1; n = (n + 1) / 2) {
        int half = (n + 1) / 2;
        if (t + half < n) {
            s[t] += s[t + half];
        }
        __syncthreads();
    }
    float sum = s[0];
    __syncthreads();
    return sum;
}

extern "C" __global__ void layernorm(const float *in, const float *gain, const float *bias,
                                     float *out, int cols) { //~ too-much-work: global_reads
    __shared__ float s[MOST];
    int t = threadIdx.x, threads = blockDim.x;
    in += (long long)blockIdx.x * cols;
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
