// Each thread waits for one number before it asks for the next.
#define THREADS 256

extern "C" __global__ void reduce(const float *in, float *sums, int n) { //~ too-slow: share_of_copy_bandwidth
    __shared__ float s[THREADS / 32];
    int t = threadIdx.x;
    volatile const float *from = in;
    float sum = 0;
    for (int i = blockIdx.x * THREADS + t; i < n; i += gridDim.x * THREADS) {
        sum += from[i];
    }
    for (int half = 16; half > 0; half /= 2) {
        sum += __shfl_down_sync(0xffffffff, sum, half);
    }
    if (t % 32 == 0) {
        s[t / 32] = sum;
    }
    __syncthreads();
    if (t < 32) {
        sum = t < THREADS / 32 ? s[t] : 0;
        for (int half = 16; half > 0; half /= 2) {
            sum += __shfl_down_sync(0xffffffff, sum, half);
        }
        if (t == 0) {
            sums[blockIdx.x] = sum;
        }
    }
}
