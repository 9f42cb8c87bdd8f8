// Two steps: a tree without bank conflicts, but with a barrier for each step.
#define THREADS 256

extern "C" __global__ void reduce(const float *in, float *sums, int n) { //~ too-much-work: barriers
    __shared__ float s[THREADS];
    int t = threadIdx.x;
    float sum = 0;
    for (int i = blockIdx.x * THREADS + t; i < n; i += gridDim.x * THREADS) {
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
    if (t == 0) {
        sums[blockIdx.x] = s[0];
    }
}
