// Writes the sum of the first warp and forgets the other seven.
#define THREADS 256

extern "C" __global__ void reduce(const float *in, float *sums, int n) {
    int t = threadIdx.x;
    float sum = 0;
    for (int i = blockIdx.x * THREADS + t; i < n; i += gridDim.x * THREADS) {
        sum += in[i];
    }
    for (int half = 16; half > 0; half /= 2) {
        sum += __shfl_down_sync(0xffffffff, sum, half);
    }
    if (t == 0) {
        sums[blockIdx.x] = sum; //~ wrong-result
    }
}
