// A fixed number of rounds for every thread: the last ones run past the end.
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
    int threads = gridDim.x * THREADS;
    int rounds = (n + threads - 1) / threads;
    float sum = 0;
    for (int k = 0; k < rounds; k++) {
        sum += in[k * threads + blockIdx.x * THREADS + t]; //~ out-of-bounds
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
