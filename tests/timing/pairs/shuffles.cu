//! Prefix sums of blocks step by step through shared memory, and by shuffles within warps.
//! floats: 4194304 1 4194304
//! slow: grid 4096 1 block 1024 1
//! fast: grid 4096 1 block 1024 1
//! held: out
//! n: 4194304

extern "C" __global__ void slow(const float *a, const float *b, float *c, int n) {
    __shared__ float s[2][1024];
    int t = threadIdx.x, from = 0;
    s[0][t] = a[blockIdx.x * 1024 + t];
    __syncthreads();
    for (int d = 1; d < 1024; d *= 2) {
        s[1 - from][t] = s[from][t] + (t >= d ? s[from][t - d] : 0);
        from = 1 - from;
        __syncthreads();
    }
    c[blockIdx.x * 1024 + t] = s[from][t];
}

__device__ float scan(float x, int lane) {
    for (int d = 1; d < 32; d *= 2) {
        float y = __shfl_up_sync(0xffffffff, x, d);
        if (lane >= d) x += y;
    }
    return x;
}
extern "C" __global__ void fast(const float *a, const float *b, float *c, int n) {
    __shared__ float s[32];
    int t = threadIdx.x, lane = t % 32, warp = t / 32;
    float x = scan(a[blockIdx.x * 1024 + t], lane);
    if (lane == 31) s[warp] = x;
    __syncthreads();
    if (warp == 0) s[lane] = scan(s[lane], lane);
    __syncthreads();
    c[blockIdx.x * 1024 + t] = x + (warp > 0 ? s[warp - 1] : 0);
}
