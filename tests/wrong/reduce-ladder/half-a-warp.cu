// Only eight lanes take part in the second shuffle, but the mask names all 32.
#define THREADS 256

__device__ float warp_sum(float value) {
    for (int half = 16; half > 0; half /= 2) {
        value += __shfl_down_sync(0xffffffff, value, half); //~ warp-mask
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
    if (t % 32 == 0) {
        s[t / 32] = sum;
    }
    __syncthreads();
    if (t < THREADS / 32) {
        sum = warp_sum(s[t]);
        if (t == 0) {
            sums[blockIdx.x] = sum;
        }
    }
}
