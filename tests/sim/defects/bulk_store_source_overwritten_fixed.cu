// The next tile overwrites one that the bulk copy has read.
// arch: 90
// launch: grid 1 block 64
// out y: i32 256
// expect y[i] = i
extern "C" __global__ void tiles(int *y) {
    __shared__ alignas(16) int tile[128];
    for (int t = 0; t < 2; t++) {
        for (int i = threadIdx.x; i < 128; i += 64) tile[i] = 128 * t + i;
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads();
        if (threadIdx.x == 0) {
            asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;"
                ::"l"(y + 128 * t), "r"((unsigned)__cvta_generic_to_shared(tile)), "r"(512) : "memory");
            asm volatile("cp.async.bulk.commit_group;\n\tcp.async.bulk.wait_group.read 0;" ::: "memory");
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}
