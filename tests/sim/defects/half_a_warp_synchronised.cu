// __syncwarp() of the lower half does not wait for the upper half, which writes.
// launch: grid 1 block 32
// out y: i32 32
// finding: R001
extern "C" __global__ void halves(int *y) {
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = t; //~ R001
    if (t < 16) {
        __syncwarp(0x0000ffff);
        y[t] = s[t + 16]; //~ R001
    } else {
        y[t] = 0;
    }
}
