// Every thread writes, also where there is no element.
#define MAX_THREADS 256
#define MAX_WEIGHTS 4

extern "C" __global__ void conv_1d(const float *in, const float *weights, float *out,
                                   int n, int k) {
    __shared__ float tile[MAX_THREADS + MAX_WEIGHTS - 1];
    __shared__ float w[MAX_WEIGHTS];
    int t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + t;

    tile[t] = i < n ? in[i] : 0;

    if (t < k) {
        w[t] = weights[t];
    } else if (t < 2 * k - 1) {
        int behind = t - k;
        int j = (blockIdx.x + 1) * blockDim.x + behind;
        tile[blockDim.x + behind] = j < n ? in[j] : 0;
    }
    __syncthreads();

    {
        float sum = 0;
        for (int j = 0; j < k; j++) {
            sum += tile[t + j] * w[j];
        }
        out[i] = sum; //~ out-of-bounds
    }
}
