//! Tiles loaded, awaited and worked on in turn, and by asynchronous copies that run ahead by two tiles.
//! floats: 4194304 1 65536
//! slow: grid 256 1 block 256 1
//! fast: grid 256 1 block 256 1
//! close: t4 (it has no such copies)
//! held: out
//! n: 64

__device__ float work(const float *tile, float sum) {
    for (int k = 0; k < 32; k++) sum = sum * 0.5f + tile[(threadIdx.x + k) % 256];
    return sum;
}

extern "C" __global__ void slow(const float *a, const float *b, float *c, int n) {
    __shared__ float tile[256];
    int t = threadIdx.x, first = blockIdx.x * n * 256;
    float sum = 0;
    for (int k = 0; k < n; k++) {
        tile[t] = a[first + k * 256 + t];
        __syncthreads();
        sum = work(tile, sum);
        __syncthreads();
    }
    c[blockIdx.x * 256 + t] = sum;
}

__device__ void fetch(float *to, const float *from) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"((unsigned)__cvta_generic_to_shared(to)), "l"(from));
}
extern "C" __global__ void fast(const float *a, const float *b, float *c, int n) {
    __shared__ float tile[4][256];
    int t = threadIdx.x, first = blockIdx.x * n * 256;
    float sum = 0;
    for (int k = 0; k < 2; k++) {
        fetch(&tile[k][t], &a[first + k * 256 + t]);
        asm volatile("cp.async.commit_group;");
    }
    for (int k = 0; k < n; k++) {
        if (k + 2 < n) fetch(&tile[(k + 2) % 4][t], &a[first + (k + 2) * 256 + t]);
        asm volatile("cp.async.commit_group;");
        asm volatile("cp.async.wait_group 2;" ::: "memory");
        __syncthreads();
        sum = work(tile[k % 4], sum);
    }
    c[blockIdx.x * 256 + t] = sum;
}
