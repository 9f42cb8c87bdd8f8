// Right, in two readings, but the threads meet in a tree with a barrier for each step.
#define EPSILON 1e-5f

extern "C" __global__ void layernorm(const float *in, const float *gain, const float *bias, //~ too-much-work: barriers
                                     float *out, int cols) {
    __shared__ float sums[1024], squares[1024];
    int t = threadIdx.x, threads = blockDim.x;
    in += (long long)blockIdx.x * cols;
    out += (long long)blockIdx.x * cols;

    float shift = in[0];
    float sum = 0, square = 0;
    for (int c = t; c < cols; c += threads) {
        float d = in[c] - shift;
        sum += d;
        square += d * d;
    }
    sums[t] = sum;
    squares[t] = square;
    __syncthreads();
    for (int n = threads; n > 1; n = (n + 1) / 2) {
        int half = (n + 1) / 2;
        if (t + half < n) {
            sums[t] += sums[t + half];
            squares[t] += squares[t + half];
        }
        __syncthreads();
    }
    sum = sums[0];
    square = squares[0];
    float mean_d = sum / cols;
    float mean = shift + mean_d;
    float scale = rsqrtf(fmaxf(square / cols - mean_d * mean_d, 0) + EPSILON);
    for (int c = t; c < cols; c += threads) {
        out[c] = (in[c] - mean) * scale * gain[c] + bias[c];
    }
}
