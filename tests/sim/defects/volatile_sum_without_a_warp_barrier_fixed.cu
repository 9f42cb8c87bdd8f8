// Only lanes that nobody reads from any more write.
// launch: grid 1 block 32
// out y: i32 1
// expect y = 64
extern "C" __global__ void sum(int *y) {
    __shared__ volatile int s[64];
    int t = threadIdx.x;
    s[t] = 1;
    s[t + 32] = 1;
    __syncwarp();
    for (int d = 32; d; d >>= 1) {
        if (t < d) s[t] += s[t + d];
        __syncwarp();
    }
    if (t == 0) *y = s[0];
}
