// Two warps meet at a barrier of their own and read what they wrote themselves.
// launch: grid 1 block 128
// out y: i32 128
// expect y[i] = i < 64 ? 63 - i : 0
extern "C" __global__ void part(int *y) {
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = t;
    if (t < 64) {
        asm volatile("bar.sync 1, 64;" ::: "memory");
        y[t] = s[63 - t];
    } else {
        y[t] = 0;
    }
}
