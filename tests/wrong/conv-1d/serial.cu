// One thread loads everything for its block.
#define MAX_THREADS 256
#define MAX_WEIGHTS 4
extern "C" __global__ void conv_1d(const float *in, const float *weights, float *out, //~ too-much-work: global_reads_per_thread
                                   int n, int k) {
    __shared__ float tile[MAX_THREADS + MAX_WEIGHTS - 1];
    __shared__ float w[MAX_WEIGHTS];
    int t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + t;
    if (t == 0) {
        for (int j = 0; j < k; j++) {
            w[j] = weights[j];
        }
        for (int j = 0; j < blockDim.x + k - 1; j++) {
            tile[j] = i + j < n ? in[i + j] : 0;
        }
    }
    __syncthreads();
    if (i < n) {
        float sum = 0;
        for (int j = 0; j < k; j++) {
            sum += tile[t + j] * w[j];
        }
        out[i] = sum;
    }
}
