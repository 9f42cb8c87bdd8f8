// Begins with minus infinity: two threads without elements make NaN of it.
#define ALL_LANES 0xffffffffu
#define LOWEST -INFINITY

__device__ void join(float &top, float &sum, float other_top, float other_sum) {
    float larger = fmaxf(top, other_top);
    sum = sum * expf(top - larger) + other_sum * expf(other_top - larger);
    top = larger;
}

extern "C" __global__ void softmax(const float *in, float *out, int cols) {
    __shared__ float tops[32], sums[32];
    int t = threadIdx.x, threads = blockDim.x;
    in += (long long)blockIdx.x * cols;
    out += (long long)blockIdx.x * cols;

    float top = LOWEST, sum = 0;
    for (int c = t; c < cols; c += threads) {
        join(top, sum, in[c], 1);
    }
    for (int d = 16; d > 0; d /= 2) {
        float other_top = __shfl_xor_sync(ALL_LANES, top, d);
        float other_sum = __shfl_xor_sync(ALL_LANES, sum, d);
        join(top, sum, other_top, other_sum);
    }
    if (t % 32 == 0) {
        tops[t / 32] = top;
        sums[t / 32] = sum;
    }
    __syncthreads();
    top = LOWEST;
    sum = 0;
    for (int w = 0; w < threads / 32; w++) {
        join(top, sum, tops[w], sums[w]);
    }

    for (int c = t; c < cols; c += threads) {
        out[c] = expf(in[c] - top) / sum; //~ wrong-result
    }
}
