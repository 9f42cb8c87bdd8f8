// launch: grid 1 block 128
// arch: 90
// in in: f16 1152 = i % 7 - 3
// out out: f32 128
// finding: R005
#include <cuda_fp16.h>

__device__ unsigned long long descriptor(unsigned address, unsigned leading = 1024, unsigned stride = 128) {
    return (unsigned long long)((address & 0x3ffff) >> 4) | (unsigned long long)(leading >> 4) << 16 |
           (unsigned long long)(stride >> 4) << 32;
}

__device__ void wgmma(float (&s)[4], unsigned long long a, unsigned long long b) {
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;"
                 : "+f"(s[0]), "+f"(s[1]), "+f"(s[2]), "+f"(s[3]) : "l"(a), "l"(b));
}

__device__ void wgmma_commit_group() {
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

template <int N> __device__ void wgmma_wait_group() {
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(N) : "memory");
}

extern "C" __global__ void multiply(const half *in, float *out) {
    __shared__ __align__(1024) half tile[1152];
    int i = threadIdx.x;
    for (int n = i; n < 1152; n += 128) tile[n] = in[n % 1152];
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    half x = in[i];
    tile[i] = x;
#ifdef FIXED
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
    __syncthreads();
    unsigned address = (unsigned)__cvta_generic_to_shared(tile);
    unsigned long long a = descriptor(address), b = descriptor(address + 2048, 128);
    float sum[4] = {0, 0, 0, 0};
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    wgmma(sum, a, b);
    wgmma_commit_group();
    wgmma_wait_group<0>();
    out[i] = sum[0];
}
