// Each step reads one shared array and writes the other: one barrier a step.
#define THREADS 256

extern "C" __global__ void scan_blocks(const float *in, float *out, float *sums,
                                       int n) {
    __shared__ float s[2][THREADS];
    int t = threadIdx.x, i = blockIdx.x * THREADS + t, now = 0;
    s[0][t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int back = 1; back < THREADS; back *= 2) {
        s[1 - now][t] = t < back ? s[now][t] : s[now][t] + s[now][t - back];
        now = 1 - now;
        __syncthreads();
    }
    if (i < n) {
        out[i] = s[now][t];
    }
    if (t == 0) {
        sums[blockIdx.x] = s[now][THREADS - 1];
    }
}

extern "C" __global__ void add_offsets(const float *offsets, float *out, int n) {
    if (blockIdx.x == 0) {
        return;
    }
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float before = offsets[blockIdx.x - 1];
    if (i < n) {
        out[i] = before + out[i];
    }
}
