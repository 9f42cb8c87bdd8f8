// Each thread reads what a thread of another warp stored.
// launch: grid 1 block 64
// out y: i32 64
// finding: R001
extern "C" __global__ void turn(int *y) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = t;
    y[t] = s[63 - t]; //~
}
