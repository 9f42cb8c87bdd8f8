//! A copy whose neighbours read 32 elements apart, and one whose neighbours read neighbours.
//! floats: 4194304 1 4194304
//! slow: grid 16384 1 block 256 1
//! fast: grid 16384 1 block 256 1
//! n: 4194304

extern "C" __global__ void slow(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int from = (i % (n / 32)) * 32 + i / (n / 32);
    if (i < n) c[i] = a[from];
}

extern "C" __global__ void fast(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i];
}
