// The tree folds down to 32 sums, which the first warp joins by shuffles.
#define MAX_THREADS 256

extern "C" __global__ void block_sum(const float *in, float *out, int n) {
    __shared__ float s[MAX_THREADS];
    int t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + t;
    s[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int half = blockDim.x / 2; half >= 32; half /= 2) {
        if (t < half) {
            s[t] += s[t + half];
        }
        __syncthreads();
    }
    int width = min(32, blockDim.x);
    if (t < width) {
        unsigned lanes = width < 32 ? (1u << width) - 1 : 0xffffffff;
        float sum = s[t];
        for (int half = width / 2; half > 0; half /= 2) {
            sum += __shfl_xor_sync(lanes, sum, half);
        }
        if (t == 0) {
            out[blockIdx.x] = sum;
        }
    }
}
