//! Rows that lead to rows, followed by few resident warps, as shared memory allows no more, and by many.
//! floats: 4194304 1 1048576
//! slow: grid 8192 1 block 128 1
//! fast: grid 8192 1 block 128 1
//! held: out
//! n: 131072

template <int FLOATS> __device__ void follow(const float *a, float *c, unsigned rows) {
    __shared__ float s[FLOATS];
    int t = threadIdx.x, lane = t % 32;
    unsigned row = blockIdx.x * 4 + t / 32;
    s[t] = 0;
    for (int k = 0; k < 8; k++) {
        float v = a[row * 32 + lane];
        s[t] += v;
        row = (row * 5 + 7 + (v > 2)) & (rows - 1);
    }
    c[blockIdx.x * 128 + t] = s[t];
}
extern "C" __global__ void slow(const float *a, const float *b, float *c, int n) { follow<12000>(a, c, n); }
extern "C" __global__ void fast(const float *a, const float *b, float *c, int n) { follow<128>(a, c, n); }
