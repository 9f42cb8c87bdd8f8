// A tree of sums upwards, and from it downwards what lies before each element.
#define THREADS 256

extern "C" __global__ void scan_blocks(const float *in, float *out, float *sums,
                                       int n) {
    __shared__ float s[THREADS];
    int t = threadIdx.x, i = blockIdx.x * THREADS + t;
    float mine = i < n ? in[i] : 0;
    s[t] = mine;
    __syncthreads();
    for (int step = 1; step < THREADS; step *= 2) {
        int at = (t + 1) * 2 * step - 1;
        if (at < THREADS) {
            s[at] += s[at - step];
        }
        __syncthreads();
    }
    float all = s[THREADS - 1];
    __syncthreads();
    if (t == 0) {
        s[THREADS - 1] = 0;
    }
    __syncthreads();
    for (int step = THREADS / 2; step > 0; step /= 2) {
        int at = (t + 1) * 2 * step - 1;
        if (at < THREADS) {
            float left = s[at - step];
            s[at - step] = s[at];
            s[at] += left;
        }
        __syncthreads();
    }
    if (i < n) {
        out[i] = s[t] + mine;
    }
    if (t == 0) {
        sums[blockIdx.x] = all;
    }
}

extern "C" __global__ void add_offsets(const float *offsets, float *out, int n) {
    int i = blockIdx.x * THREADS + threadIdx.x;
    if (i < n) {
        out[i] += blockIdx.x > 0 ? offsets[blockIdx.x - 1] : 0;
    }
}
