//! The same loop over an array by one block, and by many.
//! floats: 1048576 1 1048576
//! slow: grid 1 1 block 256 1
//! fast: grid 1024 1 block 256 1
//! n: 1048576

__device__ void scale(const float *a, float *c, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) c[i] = 2 * a[i];
}
extern "C" __global__ void slow(const float *a, const float *b, float *c, int n) { scale(a, c, n); }
extern "C" __global__ void fast(const float *a, const float *b, float *c, int n) { scale(a, c, n); }
