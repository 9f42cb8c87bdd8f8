// A block hands tiles to its neighbour: it stores them there and arrives at the neighbour's mbarrier.
// arch: 90
// launch: grid 4 block 64
// out y: i32 64
// expect y[i] = i < 32 ? 7 * i : 7 * (i - 32) + 1000
extern "C" __global__ __cluster_dims__(2, 1, 1) void hand_over(int *y) {
    __shared__ int tile[32];
    __shared__ alignas(8) unsigned long long full;
    unsigned bar = (unsigned)__cvta_generic_to_shared(&full), rank;
    unsigned mine = (unsigned)__cvta_generic_to_shared(&tile[threadIdx.x % 32]);
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 32;" ::"r"(bar));
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    asm volatile("barrier.cluster.arrive;\n\tbarrier.cluster.wait;" ::: "memory");
    if (rank == 0 && threadIdx.x < 32) {
        asm volatile(
            "{ .reg .b32 a, b;\n\t"
            "mapa.shared::cluster.u32 a, %0, 1;\n\t"
            "mapa.shared::cluster.u32 b, %1, 1;\n\t"
            "st.shared::cluster.u32 [a], %2;\n\t"
            "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [b]; }"
            ::"r"(mine), "r"(bar), "r"(7 * threadIdx.x + 500 * blockIdx.x) : "memory");
    }
    if (rank == 1 && threadIdx.x < 32) {
        asm volatile(
            "{ .reg .pred p;\n\t"
            "again: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%0], 0;\n\t"
            "@!p bra again; }" ::"r"(bar) : "memory");
        y[blockIdx.x / 2 * 32 + threadIdx.x] = tile[threadIdx.x];
    }
    asm volatile("barrier.cluster.arrive;\n\tbarrier.cluster.wait;" ::: "memory");
}
