//! Divisions by a number, and multiplications with its inverse.
//! floats: 1048576 1 1048576
//! slow: grid 4096 1 block 256 1
//! fast: grid 4096 1 block 256 1
//! n: 1048576

extern "C" __global__ void slow(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = a[i], d = b[0] + 1.5f;
    for (int k = 0; k < 32; k++) x = x / d + 1.0f;
    c[i] = x;
}

extern "C" __global__ void fast(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = a[i], d = 1 / (b[0] + 1.5f);
    for (int k = 0; k < 32; k++) x = x * d + 1.0f;
    c[i] = x;
}
