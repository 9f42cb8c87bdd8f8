// It wants those that come.
// launch: grid 1 block 64
// out y: i32 64
// expect y[i] = 1
extern "C" __global__ void right(int *y) {
    asm volatile("bar.sync 1, 64;");
    y[threadIdx.x] = 1;
}
