// A tile comes by one bulk copy that an mbarrier tells of, and goes back by another that is waited for by its group.
// arch: 90
// launch: grid 4 block 64
// in a: i32 1024 = 3 * i
// out y: i32 1024
// expect y[i] = 3 * i + 1
// count bulk_bytes_loaded: 4096
// count bulk_bytes_stored: 4096
extern "C" __global__ void tiles(const int *a, int *y) {
    __shared__ alignas(16) int tile[256];
    __shared__ alignas(8) unsigned long long full;
    unsigned bar = (unsigned)__cvta_generic_to_shared(&full), to = (unsigned)__cvta_generic_to_shared(tile);
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(bar));
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(bar), "r"(1024) : "memory");
        asm volatile(
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
            ::"r"(to), "l"(a + 256 * blockIdx.x), "r"(1024), "r"(bar) : "memory");
    }
    asm volatile(
        "{ .reg .pred p;\n\t"
        "again: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0;\n\t"
        "@!p bra again; }" ::"r"(bar) : "memory");
    for (int i = threadIdx.x; i < 256; i += 64) tile[i] += 1;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;"
            ::"l"(y + 256 * blockIdx.x), "r"(to), "r"(1024) : "memory");
        asm volatile("cp.async.bulk.commit_group;\n\tcp.async.bulk.wait_group.read 0;" ::: "memory");
    }
}
