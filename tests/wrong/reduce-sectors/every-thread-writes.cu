// All threads of a block write its sum.
#define THREADS 256

extern "C" __global__ void reduce(const float *in, float *sums, int n) { //~ too-much-work: global_writes
    __shared__ float s[THREADS];
    int t = threadIdx.x;

    float sum = 0;
    int threads = gridDim.x * THREADS;
    for (int i = blockIdx.x * THREADS + t; i < n; i += threads) {
        sum += in[i];
    }
    s[t] = sum;
    __syncthreads();

    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (t < half) {
            s[t] += s[t + half];
        }
        __syncthreads();
    }

    {
        sums[blockIdx.x] = s[0];
    }
}
