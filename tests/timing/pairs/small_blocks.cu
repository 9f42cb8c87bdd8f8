//! Work in blocks of one warp, and of eight.
//! floats: 4194304 4194304 4194304
//! slow: grid 131072 1 block 32 1
//! fast: grid 16384 1 block 256 1
//! close: t4
//! n: 4194304

extern "C" __global__ void slow(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

extern "C" __global__ void fast(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
