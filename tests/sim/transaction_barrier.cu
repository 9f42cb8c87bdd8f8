// An mbarrier that counts bytes: arrive with expect_tx, complete_tx, try_wait.
// launch: grid 1 block 32
// out y: i32 32
// expect y[i] = i == 0 ? 5 : 1
// arch: 90
extern "C" __global__ void bytes(int *y) {
    __shared__ unsigned long long barrier;
    int t = threadIdx.x, early = 0, done = 0;
    unsigned at = (unsigned)__cvta_generic_to_shared(&barrier);
    if (t == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(at) : "memory");
    }
    __syncwarp();
    if (t == 0) {
        asm volatile("{ .reg .b64 s; mbarrier.arrive.expect_tx.shared::cta.b64 s, [%0], 256; }" ::"r"(at) : "memory");
        asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared::cta.b64 p, [%1], 0; selp.s32 %0, 1, 0, p; }"
                     : "=r"(early) : "r"(at) : "memory");
        asm volatile("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], 256;" ::"r"(at) : "memory");
    }
    __syncwarp();
    while (!done) {
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.s32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"(at) : "memory");
    }
    y[t] = t == 0 ? 5 - early : 1;
}
