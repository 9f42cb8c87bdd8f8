// First step only: neighbours read neighbours, but the tree is as it was.
#define THREADS 256

extern "C" __global__ void reduce(const float *in, float *sums, int n) { //~ too-much-work: bank_conflicts
    __shared__ float s[THREADS];
    int t = threadIdx.x;
    float sum = 0;
    for (int i = blockIdx.x * THREADS + t; i < n; i += gridDim.x * THREADS) {
        sum += in[i];
    }
    s[t] = sum;
    __syncthreads();
    for (int step = 1; step < THREADS; step *= 2) {
        int k = 2 * step * t;
        if (k < THREADS) {
            s[k] += s[k + step];
        }
        __syncthreads();
    }
    if (t == 0) {
        sums[blockIdx.x] = s[0];
    }
}
