// Each thread reads one element: enough for 256 elements a block, not 2048.
#define THREADS 256

extern "C" __global__ void reduce(const float *in, float *sums, int n) {
    __shared__ float s[THREADS];
    int t = threadIdx.x;
    int i = blockIdx.x * THREADS + t;
    s[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (t < half) {
            s[t] += s[t + half];
        }
        __syncthreads();
    }
    if (t == 0) {
        sums[blockIdx.x] = s[0]; //~ wrong-result
    }
}
