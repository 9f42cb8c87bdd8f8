// All lanes come to the shuffle, and half of them use what it gives.
// launch: grid 1 block 32
// in a: i32 32 = i
// inout y: i32 32 = 0
// expect y[i] = 20 * max(0, min(1, 16 - i))
extern "C" __global__ void together(const int *a, int *y) {
    int t = threadIdx.x, v = a[t];
    int got = __shfl_sync(0xffffffff, v, 20);
    if (v >= 16) {
        return;
    }
    y[t] = got;
}
