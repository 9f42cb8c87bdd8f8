// Treats what lies behind the block as zero, not only what lies past the end.
#define MAX_THREADS 256
#define MAX_WEIGHTS 4
extern "C" __global__ void conv_1d(const float *in, const float *weights, float *out,
                                   int n, int k) {
    __shared__ float tile[MAX_THREADS];
    __shared__ float w[MAX_WEIGHTS];
    int t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + t;
    tile[t] = i < n ? in[i] : 0;
    if (t < k) {
        w[t] = weights[t];
    }
    __syncthreads();
    if (i < n) {
        float sum = 0;
        for (int j = 0; j < k && t + j < blockDim.x; j++) {
            sum += tile[t + j] * w[j];
        }
        out[i] = sum; //~ wrong-result
    }
}
