// The condition never changes.
// launch: grid 1 block 32
// out y: i32 32
// finding: S001
extern "C" __global__ void forever(int *y) {
    volatile int *p = y;
    p[threadIdx.x] = 1;
    while (p[threadIdx.x] != 0) { //~ S001
    }
}
