// Right, in two readings, but the threads meet in a tree with a barrier for each step.
#define LOWEST -3.0e38f

extern "C" __global__ void softmax(const float *in, float *out, int cols) { //~ too-much-work: barriers
    __shared__ float tops[1024], sums[1024];
    int t = threadIdx.x, threads = blockDim.x;
    in += (long long)blockIdx.x * cols;
    out += (long long)blockIdx.x * cols;

    float top = LOWEST, sum = 0;
    for (int c = t; c < cols; c += threads) {
        float before = top;
        top = fmaxf(top, in[c]);
        sum = sum * expf(before - top) + expf(in[c] - top);
    }
    tops[t] = top;
    sums[t] = sum;
    __syncthreads();
    for (int n = threads; n > 1; n = (n + 1) / 2) {
        int half = (n + 1) / 2;
        if (t + half < n) {
            float both = fmaxf(tops[t], tops[t + half]);
            sums[t] = sums[t] * expf(tops[t] - both) + sums[t + half] * expf(tops[t + half] - both);
            tops[t] = both;
        }
        __syncthreads();
    }
    for (int c = t; c < cols; c += threads) {
        out[c] = expf(in[c] - tops[0]) / sums[0];
    }
}
