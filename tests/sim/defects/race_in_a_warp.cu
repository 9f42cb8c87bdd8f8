// Lanes of one warp rely on lockstep, which orders nothing.
// launch: grid 1 block 32
// out y: i32 32
// finding: R001
extern "C" __global__ void lockstep(int *y) {
    __shared__ volatile int s[32];
    int t = threadIdx.x;
    s[t] = t;
    y[t] = s[31 - t]; //~ R001
}
