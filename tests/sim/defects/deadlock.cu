// Two halves wait at two named barriers, each for the whole block.
// launch: grid 1 block 64
// out y: i32 64
// finding: B002
extern "C" __global__ void named(int *y) {
    if (threadIdx.x < 32) {
        asm volatile("bar.sync 1, 64;");
    } else {
        asm volatile("bar.sync 2, 64;");
    }
    y[threadIdx.x] = 1;
}
