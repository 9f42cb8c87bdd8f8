//! A polynomial in double, and in single precision.
//! floats: 1048576 1 1048576
//! slow: grid 4096 1 block 256 1
//! fast: grid 4096 1 block 256 1
//! n: 1048576

template <typename T> __device__ void polynomial(const float *a, float *c) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    T x = a[i], y = 0;
    for (int k = 0; k < 128; k++) y = y * x + (T)k;
    c[i] = (float)y;
}
extern "C" __global__ void slow(const float *a, const float *b, float *c, int n) { polynomial<double>(a, c); }
extern "C" __global__ void fast(const float *a, const float *b, float *c, int n) { polynomial<float>(a, c); }
