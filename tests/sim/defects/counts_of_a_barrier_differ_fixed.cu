// Both halves of the block wait at the barrier for 128 threads.
// launch: grid 1 block 128
// out y: i32 128
// expect y[i] = i
extern "C" __global__ void roles(int *y) {
    if (threadIdx.x < 64) {
        asm volatile("bar.sync 1, 128;" ::: "memory");
    } else {
        asm volatile("bar.sync 1, 128;" ::: "memory");
    }
    y[threadIdx.x] = threadIdx.x;
}
