// The condition changes with every round.
// launch: grid 1 block 32
// out y: i32 32
// expect y[i] = 0
extern "C" __global__ void counted(int *y) {
    volatile int *p = y;
    p[threadIdx.x] = 5;
    while (p[threadIdx.x] != 0) {
        p[threadIdx.x] = p[threadIdx.x] - 1;
    }
}
