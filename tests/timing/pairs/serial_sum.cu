//! A sum by one thread, and by one block.
//! floats: 65536 1 1
//! slow: grid 1 1 block 1 1
//! fast: grid 1 1 block 1024 1
//! n: 65536

extern "C" __global__ void slow(const float *a, const float *b, float *c, int n) {
    float sum = 0;
    for (int i = 0; i < n; i++) sum += a[i];
    c[0] = sum;
}

extern "C" __global__ void fast(const float *a, const float *b, float *c, int n) {
    __shared__ float s[1024];
    int t = threadIdx.x;
    float sum = 0;
    for (int i = t; i < n; i += 1024) sum += a[i];
    s[t] = sum;
    __syncthreads();
    for (int step = 512; step > 0; step /= 2) {
        if (t < step) s[t] += s[t + step];
        __syncthreads();
    }
    if (t == 0) c[0] = s[0];
}
