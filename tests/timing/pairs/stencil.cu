//! A stencil of 17 points from global memory, and from shared memory.
//! floats: 4194304 1 4194304
//! slow: grid 16384 1 block 256 1
//! fast: grid 16384 1 block 256 1
//! close: h100 (the first-level cache serves it about as well)
//! n: 4194304

extern "C" __global__ void slow(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = -8; k <= 8; k++) sum += (i + k >= 0 && i + k < n) ? a[i + k] : 0;
    c[i] = sum;
}

extern "C" __global__ void fast(const float *a, const float *b, float *c, int n) {
    __shared__ float s[256 + 16];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    s[t + 8] = a[i];
    if (t < 8) {
        s[t] = i >= 8 ? a[i - 8] : 0;
        s[t + 264] = i + 256 < n ? a[i + 256] : 0;
    }
    __syncthreads();
    float sum = 0;
    for (int k = 0; k <= 16; k++) sum += s[t + k];
    c[i] = sum;
}
