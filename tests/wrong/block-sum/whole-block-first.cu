// The first step reaches as far as the block is wide.
#define MAX_THREADS 256

extern "C" __global__ void block_sum(const float *in, float *out, int n) {
    __shared__ float s[MAX_THREADS];
    int t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + t;

    s[t] = i < n ? in[i] : 0;
    __syncthreads();

    for (int half = blockDim.x; half > 0; half /= 2) {
        if (t < half) {
            s[t] += s[t + half]; //~ uninitialised-read
        }
        __syncthreads();
    }

    if (t == 0) {
        out[blockIdx.x] = s[0];
    }
}
