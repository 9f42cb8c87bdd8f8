// Half of the block waits at the barrier for 64 threads, the other half for 128.
// launch: grid 1 block 128
// out y: i32 128
// finding: B001
extern "C" __global__ void roles(int *y) {
    if (threadIdx.x < 64) {
        asm volatile("bar.sync 1, 64;" ::: "memory"); //~ B001
    } else {
        asm volatile("bar.sync 1, 128;" ::: "memory"); //~ B001
    }
    y[threadIdx.x] = threadIdx.x;
}
