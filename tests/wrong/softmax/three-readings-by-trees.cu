// Right, but three readings, and trees with a barrier for each step.
#define MOST 1024

extern "C" __global__ void softmax(const float *in, float *out, int cols) { //~ too-much-work: global_reads
    __shared__ float s[MOST];
    int t = threadIdx.x, threads = blockDim.x;
    in += (long long)blockIdx.x * cols;
    out += (long long)blockIdx.x * cols;

    float top = in[0];
    for (int c = t; c < cols; c += threads) {
        top = fmaxf(top, in[c]);
    }
    s[t] = top;
    __syncthreads();

    for (int n = threads; n > 1; n = (n + 1) / 2) {
        int half = (n + 1) / 2;
        if (t + half < n) {
            s[t] = fmaxf(s[t], s[t + half]);
        }
        __syncthreads();
    }
    top = s[0];
    __syncthreads();

    float sum = 0;
    for (int c = t; c < cols; c += threads) {
        sum += expf(in[c] - top);
    }
    s[t] = sum;
    __syncthreads();
    for (int n = threads; n > 1; n = (n + 1) / 2) {
        int half = (n + 1) / 2;
        if (t + half < n) {
            s[t] += s[t + half];
        }
        __syncthreads();
    }
    sum = s[0];

    for (int c = t; c < cols; c += threads) {
        out[c] = expf(in[c] - top) / sum;
    }
}
