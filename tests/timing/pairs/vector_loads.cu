//! A copy of single floats, and of four at a time.
//! floats: 4194304 1 4194304
//! slow: grid 16384 1 block 256 1
//! fast: grid 4096 1 block 256 1
//! n: 4194304
//! close: t4 a100 h100 (the memory is busy either way)

extern "C" __global__ void slow(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i];
}

extern "C" __global__ void fast(const float4 *a, const float *b, float4 *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 4) c[i] = a[i];
}
