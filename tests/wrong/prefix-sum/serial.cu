// One thread adds up its block's elements, one after the other.
#define THREADS 256

extern "C" __global__ void scan_blocks(const float *in, float *out, float *sums, //~ too-much-work: shared_reads_per_thread
                                       int n) {
    __shared__ float s[THREADS];
    int t = threadIdx.x;
    int i = blockIdx.x * THREADS + t;
    s[t] = i < n ? in[i] : 0;
    __syncthreads();
    if (t == 0) {
        for (int k = 1; k < THREADS; k++) {
            s[k] += s[k - 1];
        }
        sums[blockIdx.x] = s[THREADS - 1];
    }
    __syncthreads();
    if (i < n) {
        out[i] = s[t];
    }
}

extern "C" __global__ void add_offsets(const float *offsets, float *out, int n) {
    int i = blockIdx.x * THREADS + threadIdx.x;
    if (i < n && blockIdx.x > 0) {
        out[i] += offsets[blockIdx.x - 1];
    }
}
