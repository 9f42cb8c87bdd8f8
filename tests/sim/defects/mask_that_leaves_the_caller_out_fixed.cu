// Each half names itself.
// launch: grid 1 block 32
// in a: i32 32 = i
// out y: i32 32
// expect y[i] = 3 + (i - i % 16)
extern "C" __global__ void halves(const int *a, int *y) {
    int t = threadIdx.x;
    unsigned mine = t < 16 ? 0x0000ffffu : 0xffff0000u;
    if (t < 16)
        y[t] = __shfl_sync(mine, a[t], 3);
    else
        y[t] = __shfl_sync(mine, a[t], 19);
}
