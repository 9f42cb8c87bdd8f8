// Both halves wait at the same named barrier.
// launch: grid 1 block 64
// out y: i32 64
// expect y[i] = 1
extern "C" __global__ void named(int *y) {
    if (threadIdx.x < 32) {
        asm volatile("bar.sync 1, 64;");
    } else {
        asm volatile("bar.sync 1, 64;");
    }
    y[threadIdx.x] = 1;
}
