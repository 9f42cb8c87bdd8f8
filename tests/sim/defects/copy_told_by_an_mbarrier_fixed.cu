// The copies' arrival is told to an mbarrier, where all wait.
// arch: 80
// launch: grid 1 block 64
// in a: i32 64 = i
// out y: i32 64
// expect y[i] = 63 - i
extern "C" __global__ void copies(const int *a, int *y) {
    __shared__ int tile[64];
    __shared__ unsigned long long barrier;
    int t = threadIdx.x;
    unsigned tile_at = (unsigned)__cvta_generic_to_shared(&tile[t]);
    unsigned barrier_at = (unsigned)__cvta_generic_to_shared(&barrier);
    if (t == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], 64;" ::"r"(barrier_at) : "memory");
    }
    __syncthreads();
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(tile_at), "l"(a + t) : "memory");
    asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(barrier_at) : "memory");
    int done = 0;
    while (!done) {
        asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], 0; selp.s32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"(barrier_at) : "memory");
    }
    y[t] = tile[63 - t];
}
