//! Two long ways taken by neighbouring threads, and by whole warps.
//! floats: 1048576 1 1048576
//! slow: grid 4096 1 block 256 1
//! fast: grid 4096 1 block 256 1
//! n: 1048576

__device__ float one(float x) { for (int k = 0; k < 64; k++) x = x * 1.0001f + 0.5f; return x; }
__device__ float other(float x) { for (int k = 0; k < 64; k++) x = x * x * 0.25f - x; return x; }

extern "C" __global__ void slow(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    c[i] = i % 2 ? one(a[i]) : other(a[i]);
}

extern "C" __global__ void fast(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    c[i] = i / 32 % 2 ? one(a[i]) : other(a[i]);
}
