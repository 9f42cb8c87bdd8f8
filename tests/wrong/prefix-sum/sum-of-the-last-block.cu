// Only the last block notes its sum.
#define THREADS 256

extern "C" __global__ void scan_blocks(const float *in, float *out, float *sums,
                                       int n) {
    __shared__ float s[THREADS];
    int t = threadIdx.x;
    int i = blockIdx.x * THREADS + t;

    s[t] = i < n ? in[i] : 0; //~ uninitialised-read
    __syncthreads();

    for (int back = 1; back < THREADS; back *= 2) {
        float add = t >= back ? s[t - back] : 0;
        __syncthreads();
        s[t] += add;
        __syncthreads();
    }

    if (i < n) {
        out[i] = s[t];
    }
    if (i == n - 1) {
        sums[blockIdx.x] = s[t];
    }
}

extern "C" __global__ void add_offsets(const float *offsets, float *out, int n) {
    int i = blockIdx.x * THREADS + threadIdx.x;
    if (i < n && blockIdx.x > 0) {
        out[i] += offsets[blockIdx.x - 1];
    }
}
