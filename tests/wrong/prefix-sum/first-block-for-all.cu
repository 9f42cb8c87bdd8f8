// Adds what the first block adds up to, in every block behind it.
#define THREADS 256

extern "C" __global__ void scan_blocks(const float *in, float *out, float *sums,
                                       int n) {
    __shared__ float s[THREADS];
    int t = threadIdx.x;
    int i = blockIdx.x * THREADS + t;

    s[t] = i < n ? in[i] : 0;
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
    if (t == THREADS - 1) {
        sums[blockIdx.x] = s[t];
    }
}

extern "C" __global__ void add_offsets(const float *offsets, float *out, int n) {
    int i = blockIdx.x * THREADS + threadIdx.x;
    if (i < n && blockIdx.x > 0) {
        out[i] += offsets[0]; //~ wrong-result: tail-wrong
    }
}
