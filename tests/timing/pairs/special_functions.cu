//! Sines to full precision, and by the special function unit.
//! floats: 1048576 1 1048576
//! slow: grid 4096 1 block 256 1
//! fast: grid 4096 1 block 256 1
//! n: 1048576

extern "C" __global__ void slow(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = a[i];
    for (int k = 0; k < 16; k++) x = sinf(x) + 0.5f;
    c[i] = x;
}

extern "C" __global__ void fast(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = a[i];
    for (int k = 0; k < 16; k++) x = __sinf(x) + 0.5f;
    c[i] = x;
}
