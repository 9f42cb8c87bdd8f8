// A lane of the warp reads what another writes in the same step.
// launch: grid 1 block 32
// out y: i32 1
// finding: R001
extern "C" __global__ void sum(int *y) {
    __shared__ volatile int s[64];
    int t = threadIdx.x;
    s[t] = 1;
    s[t + 32] = 1;
    __syncwarp();
    int v = s[t];
    for (int d = 32; d; d >>= 1) {
        v += s[t + d];
        s[t] = v; //~ R001
        __syncwarp();
    }
    if (t == 0) *y = s[0];
}
