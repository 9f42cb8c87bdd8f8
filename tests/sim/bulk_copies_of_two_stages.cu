// Two tiles take turns: while one is used the next is on its way. Each barrier is used in several phases.
// arch: 90
// launch: grid 1 block 64
// in a: i32 512 = i % 7
// out y: i32 64
// expect y[i] = i % 7 + (i + 64) % 7 + (i + 128) % 7 + (i + 192) % 7 + (i + 256) % 7 + (i + 320) % 7 + (i + 384) % 7 + (i + 448) % 7
__device__ void wait(unsigned bar, unsigned parity) {
    asm volatile(
        "{ .reg .pred p;\n\t"
        "again: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n\t"
        "@!p bra again; }" ::"r"(bar), "r"(parity) : "memory");
}
__device__ void ask(unsigned to, const int *from, unsigned bar) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 256;" ::"r"(bar) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 256, [%2];"
        ::"r"(to), "l"(from), "r"(bar) : "memory");
}
extern "C" __global__ void stages(const int *a, int *y) {
    __shared__ alignas(16) int tile[2][64];
    __shared__ alignas(8) unsigned long long full[2];
    unsigned bar = (unsigned)__cvta_generic_to_shared(full), to = (unsigned)__cvta_generic_to_shared(tile);
    if (threadIdx.x == 0) {
        for (int s = 0; s < 2; s++) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(bar + 8 * s));
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        for (int s = 0; s < 2; s++) ask(to + 256 * s, a + 64 * s, bar + 8 * s);
    }
    __syncthreads();
    int sum = 0;
    for (int t = 0; t < 8; t++) {
        int s = t % 2;
        wait(bar + 8 * s, t / 2 % 2);
        sum += tile[s][threadIdx.x];
        __syncthreads();
        if (threadIdx.x == 0 && t + 2 < 8) ask(to + 256 * s, a + 64 * (t + 2), bar + 8 * s);
    }
    y[threadIdx.x] = sum;
}
