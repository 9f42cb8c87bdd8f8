//! Integer divisions by a number that the compiler does not know, and shifts.
//! floats: 1048576 1 1048576
//! slow: grid 4096 1 block 256 1
//! fast: grid 4096 1 block 256 1
//! held: out
//! n: 1048576

extern "C" __global__ void slow(const float *a, const float *b, float *c, int n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, x = __float_as_uint(a[i]), sum = 0;
    for (int k = 1; k <= 32; k++) sum += (x + k) / (n + k);
    c[i] = sum;
}

extern "C" __global__ void fast(const float *a, const float *b, float *c, int n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, x = __float_as_uint(a[i]), sum = 0;
    for (int k = 1; k <= 32; k++) sum += (x + k) >> (n + k) % 32;
    c[i] = sum;
}
