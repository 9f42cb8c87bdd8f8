// Each half of a warp waits for itself, and reads what the other half writes.
// launch: grid 1 block 32
// out y: i32 32
// finding: R001
extern "C" __global__ void halves(int *y) {
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = t; //~ R001
    __syncwarp(t < 16 ? 0x0000ffff : 0xffff0000);
    y[t] = s[31 - t]; //~ R001
}
