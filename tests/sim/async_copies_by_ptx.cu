// cp.async by inline PTX: 8 bytes, cache-global with a prefetch size, and arrival on an mbarrier.
// launch: grid 1 block 32
// in a: f32 128 = i * 0.25
// in b: f64 32 = i * 3
// out y: f64 32
// expect y[i] = a[4*((i + 1) % 32)] + a[4*((i + 1) % 32) + 3] + b[31 - i]
// arch: 80
extern "C" __global__ void copies(const float *a, const double *b, double *y) {
    __shared__ __align__(16) float tile[128];
    __shared__ double pairs[32];
    __shared__ unsigned long long barrier;
    int t = threadIdx.x;
    unsigned tile_at = (unsigned)__cvta_generic_to_shared(&tile[4 * t]);
    unsigned pair_at = (unsigned)__cvta_generic_to_shared(&pairs[t]);
    unsigned barrier_at = (unsigned)__cvta_generic_to_shared(&barrier);
    if (t == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], 32;" ::"r"(barrier_at) : "memory");
    }
    __syncwarp();
    asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16;" ::"r"(tile_at), "l"(a + 4 * t) : "memory");
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(pair_at), "l"(b + t) : "memory");
    asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(barrier_at) : "memory");
    int done = 0;
    while (!done) {
        asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], 0; selp.s32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"(barrier_at) : "memory");
    }
    int next = (t + 1) % 32;
    y[t] = tile[4 * next] + tile[4 * next + 3] + pairs[31 - t];
}
