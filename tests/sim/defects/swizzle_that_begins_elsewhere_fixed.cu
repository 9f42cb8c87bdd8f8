// A matrix with a swizzle of 32 bytes begins where the pattern does.
// arch: 90
// launch: grid 1 block 128
// in a: f16 1024 = (i * 7 % 23) - 11
// in b: f16 128 = (i * 5 % 13) - 6
// out y: f32 512
// expect y[i] = sum(k, 0, 16, a[i/8*16 + k] * b[i%8*16 + k])
#include <cuda_fp16.h>

__device__ unsigned long long matrix(const void *start, unsigned leading, unsigned stride) {
    unsigned address = (unsigned)__cvta_generic_to_shared(start);
    return (unsigned long long)((address & 0x3ffff) >> 4) | (unsigned long long)(leading >> 4) << 16 |
           (unsigned long long)(stride >> 4) << 32 | 3ull << 62;
}

extern "C" __global__ void product(const half *a, const half *b, float *y) {
    __shared__ __align__(256) half room[1216];
    half *left = room, *right = room + 1024;
    int t = threadIdx.x;
    for (int i = t; i < 1024; i += 128) {
        int row = i / 16, k = i % 16;
        left[row * 16 + (k / 8 ^ row / 4 % 2) * 8 + k % 8] = a[i];
        if (i < 128) right[row * 16 + (k / 8 ^ row / 4 % 2) * 8 + k % 8] = b[i];
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    float d[4] = {};
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 0, 1, 1, 0, 0;"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "l"(matrix(left, 16, 256)), "l"(matrix(right, 16, 256)));
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    int row = t / 32 * 16 + t % 32 / 4, column = t % 4 * 2;
    for (int i = 0; i < 4; i++) {
        y[(row + i / 2 * 8) * 8 + column + i % 2] = d[i];
    }
}
