// The last k - 1 threads fetch what lies behind; weights past k are zeros.
#define MAX_THREADS 256
#define MAX_WEIGHTS 4

extern "C" __global__ void conv_1d(const float *in, const float *weights, float *out,
                                   int n, int k) {
    __shared__ float tile[MAX_THREADS + MAX_WEIGHTS], w[MAX_WEIGHTS];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t, more = MAX_WEIGHTS - 1;
    tile[t] = i < n ? in[i] : 0;
    if (t >= blockDim.x - more) {
        tile[t + more] = i + more < n ? in[i + more] : 0;
    }
    if (t < MAX_WEIGHTS) {
        w[t] = t < k ? weights[t] : 0;
    }
    __syncthreads();
    if (i >= n) {
        return;
    }
    out[i] = tile[t] * w[0] + tile[t + 1] * w[1] + tile[t + 2] * w[2] + tile[t + 3] * w[3];
}
