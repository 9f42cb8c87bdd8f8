//! Elements read from all over an array, and one after the other.
//! floats: 4194304 1 4194304
//! slow: grid 16384 1 block 256 1
//! fast: grid 16384 1 block 256 1
//! held: out
//! n: 4194304

extern "C" __global__ void slow(const float *a, const float *b, float *c, int n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    c[i] = a[i * 2654435761u % n];
}

extern "C" __global__ void fast(const float *a, const float *b, float *c, int n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    c[i] = a[(i + 12345u) % n];
}
