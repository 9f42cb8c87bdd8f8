//! Sums of blocks by an atomic a thread, each block at an element of its own, and by an atomic a warp.
//! floats: 4194304 1 16384
//! slow: grid 16384 1 block 256 1
//! fast: grid 16384 1 block 256 1
//! held: out
//! n: 4194304

extern "C" __global__ void slow(const float *a, const float *b, float *c, int n) {
    atomicAdd(c + blockIdx.x, a[blockIdx.x * 256 + threadIdx.x]);
}

extern "C" __global__ void fast(const float *a, const float *b, float *c, int n) {
    float sum = a[blockIdx.x * 256 + threadIdx.x];
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d);
    if (threadIdx.x % 32 == 0) atomicAdd(c + blockIdx.x, sum);
}
