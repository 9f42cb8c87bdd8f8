// The last step without the first: each thread still reads a run of its own.
#define THREADS 256

__device__ float warp_sum(float value) {
    for (int half = 16; half > 0; half /= 2) {
        value += __shfl_down_sync(0xffffffff, value, half);
    }
    return value;
}

extern "C" __global__ void reduce(const float *in, float *sums, int n) { //~ too-much-work: load_sectors
    __shared__ float s[THREADS / 32];
    int t = threadIdx.x;
    int threads = gridDim.x * THREADS;
    int run = (n + threads - 1) / threads;
    int first = (blockIdx.x * THREADS + t) * run;
    float sum = 0;
    for (int k = 0; k < run && first + k < n; k++) {
        sum += in[first + k];
    }
    sum = warp_sum(sum);
    if (t % 32 == 0) {
        s[t / 32] = sum;
    }
    __syncthreads();
    if (t < 32) {
        sum = warp_sum(t < THREADS / 32 ? s[t] : 0);
        if (t == 0) {
            sums[blockIdx.x] = sum;
        }
    }
}
