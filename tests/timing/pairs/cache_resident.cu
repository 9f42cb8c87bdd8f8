//! As many bytes read once, and read eight times over from an array that the second-level cache holds.
//! floats: 16777216 1 270336
//! slow: grid 1056 1 block 256 1
//! fast: grid 1056 1 block 256 1
//! held: out
//! n: 16777216

__device__ void sums(const float4 *a, float *c, int n, int held) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int i = t; i < n; i += gridDim.x * blockDim.x) {
        float4 v = a[i % held];
        sum += v.x + v.y + v.z + v.w;
    }
    c[t] = sum;
}
extern "C" __global__ void slow(const float4 *a, const float *b, float *c, int n) { sums(a, c, n / 4, n / 4); }
extern "C" __global__ void fast(const float4 *a, const float *b, float *c, int n) { sums(a, c, n / 4, n / 32); }
