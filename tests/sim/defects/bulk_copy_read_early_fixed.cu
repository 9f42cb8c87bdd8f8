// The tile is read once the barrier's phase is over.
// arch: 90
// launch: grid 1 block 64
// in a: i32 256 = 3 * i
// out y: i32 256
// expect y[i] = 3 * i
extern "C" __global__ void tiles(const int *a, int *y) {
    __shared__ alignas(16) int tile[256];
    __shared__ alignas(8) unsigned long long full;
    unsigned bar = (unsigned)__cvta_generic_to_shared(&full), to = (unsigned)__cvta_generic_to_shared(tile);
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(bar));
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(bar), "r"(1024) : "memory");
        asm volatile(
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
            ::"r"(to), "l"(a), "r"(1024), "r"(bar) : "memory");
    }
    __syncthreads();
    asm volatile(
        "{ .reg .pred p;\n\t"
        "again: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0;\n\t"
        "@!p bra again; }" ::"r"(bar) : "memory");
    for (int i = threadIdx.x; i < 256; i += 64) y[i] = tile[i];
}
