// All lanes of a warp store what they have, though only lane 0 has the sum.
#define THREADS 256

__device__ float warp_sum(float value) {
    for (int half = 16; half > 0; half /= 2) {
        value += __shfl_down_sync(0xffffffff, value, half);
    }
    return value;
}

extern "C" __global__ void reduce(const float *in, float *sums, int n) {
    __shared__ float s[THREADS / 32];
    int t = threadIdx.x;
    float sum = 0;
    for (int i = blockIdx.x * THREADS + t; i < n; i += gridDim.x * THREADS) {
        sum += in[i];
    }
    sum = warp_sum(sum);
    s[t / 32] = sum; //~ shared-race
    __syncthreads();
    if (t < 32) {
        sum = warp_sum(t < THREADS / 32 ? s[t] : 0);
        if (t == 0) {
            sums[blockIdx.x] = sum;
        }
    }
}
