// The tile is filled in steps of the block, the weights by the last threads.
#define MAX_THREADS 256
#define MAX_WEIGHTS 4

extern "C" __global__ void conv_1d(const float *in, const float *weights, float *out,
                                   int n, int k) {
    __shared__ float tile[MAX_THREADS + MAX_WEIGHTS], w[MAX_WEIGHTS];
    int start = blockIdx.x * blockDim.x, t = threadIdx.x;
    for (int j = t; j < blockDim.x + k - 1; j += blockDim.x) {
        tile[j] = start + j < n ? in[start + j] : 0;
    }
    int last = blockDim.x - 1 - t;
    if (last < k) {
        w[last] = weights[last];
    }
    __syncthreads();
    float sum = 0;
    for (int j = k - 1; j >= 0; j--) {
        sum = fmaf(w[j], tile[t + j], sum);
    }
    if (start + t < n) {
        out[start + t] = sum;
    }
}
