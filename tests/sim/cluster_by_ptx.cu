// barrier.cluster in two halves, mapa and accesses by shared::cluster addresses of 32 bits.
// arch: 90
// launch: grid 4 block 32
// out y: i32 128
// out r: i32 4
// expect y[i] = (i / 32 ^ 1) * 100 + i % 32 + 5
// expect r = 1 0 1 0
extern "C" __global__ __cluster_dims__(2, 1, 1) void halves(int *y, int *r) {
    __shared__ int tile[32];
    unsigned rank, own = (unsigned)__cvta_generic_to_shared(&tile[threadIdx.x]), other, found;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    tile[threadIdx.x] = blockIdx.x * 100 + threadIdx.x;
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(other) : "r"(own), "r"(rank ^ 1));
    asm volatile("getctarank.shared::cluster.u32 %0, %1;" : "=r"(found) : "r"(other));
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
    int value, own_value = tile[threadIdx.x];
    asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(value) : "r"(other) : "memory");
    asm volatile("barrier.cluster.arrive;\n\tbarrier.cluster.wait;" ::: "memory");
    // Each thread writes what it had to the other block.
    asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(other), "r"(own_value + 5) : "memory");
    asm volatile("barrier.cluster.arrive;\n\tbarrier.cluster.wait;" ::: "memory");
    if (tile[threadIdx.x] != value - 5 + 10) return;
    y[blockIdx.x * 32 + threadIdx.x] = tile[threadIdx.x];
    if (threadIdx.x == 0) r[blockIdx.x] = found;
}
