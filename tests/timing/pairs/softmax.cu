//! Softmax of rows in three passes with sums through shared memory, and in two passes with shuffles.
//! floats: 4194304 1 4194304
//! slow: grid 4096 1 block 256 1
//! fast: grid 4096 1 block 256 1
//! close: t4 (the memory is busy either way)
//! held: out
//! n: 1024

template <bool MAX> __device__ float all(float x) {
    __shared__ float s[256];
    int t = threadIdx.x;
    s[t] = x;
    __syncthreads();
    for (int step = 128; step > 0; step /= 2) {
        if (t < step) s[t] = MAX ? fmaxf(s[t], s[t + step]) : s[t] + s[t + step];
        __syncthreads();
    }
    x = s[0];
    __syncthreads();
    return x;
}

extern "C" __global__ void slow(const float *a, const float *b, float *c, int n) {
    const float *row = a + blockIdx.x * n;
    float most = -3e38f, sum = 0;
    for (int i = threadIdx.x; i < n; i += 256) most = fmaxf(most, row[i]);
    most = all<true>(most);
    for (int i = threadIdx.x; i < n; i += 256) sum += expf(row[i] - most);
    sum = all<false>(sum);
    for (int i = threadIdx.x; i < n; i += 256) c[blockIdx.x * n + i] = expf(row[i] - most) / sum;
}

extern "C" __global__ void fast(const float *a, const float *b, float *c, int n) {
    __shared__ float ms[8], ss[8];
    const float *row = a + blockIdx.x * n;
    int t = threadIdx.x;
    float most = -3e38f, sum = 0;
    for (int i = t; i < n; i += 256) {
        float x = row[i], m = fmaxf(most, x);
        sum = sum * __expf(most - m) + __expf(x - m);
        most = m;
    }
    for (int d = 16; d > 0; d /= 2) {
        float m = __shfl_xor_sync(0xffffffff, most, d), s = __shfl_xor_sync(0xffffffff, sum, d), high = fmaxf(m, most);
        sum = sum * __expf(most - high) + s * __expf(m - high);
        most = high;
    }
    if (t % 32 == 0) { ms[t / 32] = most; ss[t / 32] = sum; }
    __syncthreads();
    most = ms[0];
    for (int k = 1; k < 8; k++) most = fmaxf(most, ms[k]);
    sum = 0;
    for (int k = 0; k < 8; k++) sum += ss[k] * __expf(ms[k] - most);
    float inverse = 1 / sum;
    for (int i = t; i < n; i += 256) c[blockIdx.x * n + i] = __expf(row[i] - most) * inverse;
}
