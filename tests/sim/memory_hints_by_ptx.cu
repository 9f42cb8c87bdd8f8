// Prefetches, eviction hints and cache policies change nothing.
// launch: grid 1 block 32
// in a: f32 128 = i * 0.5
// out y: f32 32
// expect y[i] = a[4*i] + a[4*i + 1] + a[4*i + 2] + a[4*i + 3] + a[i] * 2
// arch: 80
extern "C" __global__ void hints(const float *a, float *y) {
    int i = threadIdx.x;
    float v0, v1, v2, v3, once, kept;
    unsigned long long policy;
    asm volatile("prefetch.global.L2 [%0];" ::"l"(a + i));
    asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
    asm volatile("ld.global.nc.L1::no_allocate.L2::128B.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(v0), "=f"(v1), "=f"(v2), "=f"(v3) : "l"(a + 4 * i));
    asm volatile("ld.global.L1::evict_last.f32 %0, [%1];" : "=f"(once) : "l"(a + i));
    asm volatile("ld.global.L2::cache_hint.f32 %0, [%1], %2;" : "=f"(kept) : "l"(a + i), "l"(policy));
    asm volatile("st.global.L1::no_allocate.f32 [%0], %1;" ::"l"(y + i), "f"(v0 + v1 + v2 + v3 + once + kept) : "memory");
}
