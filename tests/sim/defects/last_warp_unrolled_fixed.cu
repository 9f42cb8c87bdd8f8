// The last warp adds up with __syncwarp() between a step's reads and writes.
// launch: grid 1 block 32
// in a: i32 64 = i
// out y: i32 1
// expect y = 2016
extern "C" __global__ void sum(const int *a, int *y) {
    __shared__ volatile int s[64];
    int t = threadIdx.x;
    s[t] = a[t];
    s[t + 32] = a[t + 32];
    for (int step = 32; step > 0; step /= 2) {
        int value = s[t] + s[t + step % 64 * (t + step < 64)];
        __syncwarp();
        s[t] = value;
        __syncwarp();
    }
    if (t == 0) {
        *y = s[0];
    }
}
