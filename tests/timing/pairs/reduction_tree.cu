//! Sums of blocks by a tree whose threads diverge in every warp, and by shuffles.
//! floats: 4194304 1 16384
//! slow: grid 16384 1 block 256 1
//! fast: grid 4096 1 block 256 1
//! n: 4194304

extern "C" __global__ void slow(const float *a, const float *b, float *c, int n) {
    __shared__ float s[256];
    int t = threadIdx.x;
    s[t] = a[blockIdx.x * 256 + t];
    __syncthreads();
    for (int step = 1; step < 256; step *= 2) {
        if (t % (2 * step) == 0) s[t] += s[t + step];
        __syncthreads();
    }
    if (t == 0) c[blockIdx.x] = s[0];
}

extern "C" __global__ void fast(const float *a, const float *b, float *c, int n) {
    __shared__ float s[8];
    int t = threadIdx.x;
    float sum = 0;
    for (int k = 0; k < 4; k++) sum += a[blockIdx.x * 1024 + k * 256 + t];
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d);
    if (t % 32 == 0) s[t / 32] = sum;
    __syncthreads();
    if (t == 0) {
        for (int k = 1; k < 8; k++) sum += s[k];
        c[blockIdx.x] = sum;
    }
}
