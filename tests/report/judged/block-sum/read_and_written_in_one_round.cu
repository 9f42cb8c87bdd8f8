#define MAX_THREADS 256

extern "C" __global__ void block_sum(const float *in, float *out, int n) {
    __shared__ float s[MAX_THREADS];
    int t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + t;

    s[t] = i < n ? in[i] : 0;
    __syncthreads();

    for (int step = 1; step < blockDim.x; step *= 2) {
        float mine = s[t];
        float other = t + step < blockDim.x ? s[t + step] : 0;
        s[t] = mine + other;
        __syncthreads();
    }

    if (t == 0) {
        out[blockIdx.x] = s[0];
    }
}
