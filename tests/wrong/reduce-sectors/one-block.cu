// One block adds up all.

#define THREADS 256 // a power of two

extern "C" __global__ void reduce(const float *in, float *sums, int n) {
    __shared__ float s[THREADS];
    int t = threadIdx.x;

    // Neighbouring threads read neighbouring elements, so a warp's 32 fill four
    // sectors. Then the whole grid jumps ahead by as many as it has threads.
    float sum = 0;
    int threads = THREADS; if (blockIdx.x > 0) n = 0; //~ too-much-work: global_reads_per_thread
    for (int i = blockIdx.x * THREADS + t; i < n; i += threads) {
        sum += in[i];
    }
    s[t] = sum;
    __syncthreads();

    // The upper half onto the lower: threads side by side use elements side by
    // side, and no two of a warp meet in a bank.
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (t < half) {
            s[t] += s[t + half];
        }
        __syncthreads();
    }

    if (t == 0) {
        sums[blockIdx.x] = s[0];
    }
}
