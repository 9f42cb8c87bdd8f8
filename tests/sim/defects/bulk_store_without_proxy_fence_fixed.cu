// The tile was written by ordinary stores, and a fence shows them to the bulk copy.
// arch: 90
// launch: grid 1 block 64
// out y: i32 256
// expect y[i] = 2 * i
extern "C" __global__ void tiles(int *y) {
    __shared__ alignas(16) int tile[256];
    for (int i = threadIdx.x; i < 256; i += 64) tile[i] = 2 * i;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;"
            ::"l"(y), "r"((unsigned)__cvta_generic_to_shared(tile)), "r"(1024) : "memory");
        asm volatile("cp.async.bulk.commit_group;\n\tcp.async.bulk.wait_group.read 0;" ::: "memory");
    }
}
