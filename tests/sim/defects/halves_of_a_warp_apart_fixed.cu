// Each half of a warp waits for itself, and reads what it wrote itself.
// launch: grid 1 block 32
// out y: i32 32
// expect y[i] = i / 16 * 16 + 15 - i % 16
extern "C" __global__ void halves(int *y) {
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = t;
    __syncwarp(t < 16 ? 0x0000ffff : 0xffff0000);
    y[t] = s[t / 16 * 16 + 15 - t % 16];
}
