// Two elements side by side are read at a time; neighbours are joined last.
#define THREADS 256 // a power of two

extern "C" __global__ void reduce(const float *in, float *sums, int n) {
    __shared__ float s[THREADS];
    int t = threadIdx.x;

    float sum = 0;
    const float2 *pairs = (const float2 *)in;
    int threads = gridDim.x * THREADS, first = blockIdx.x * THREADS + t;
    for (int p = first; p < n / 2; p += threads) {
        float2 pair = pairs[p];
        sum += pair.x + pair.y;
    }
    if (first == 0 && n % 2 == 1) {
        sum += in[n - 1];
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
