// Whole warps are launched, and those past the end add nothing.
// launch: grid 1 block 64
// arg n: i32 = 40
// in a: i32 40 = 1
// out y: i32 2
// expect y = 32 8
extern "C" __global__ void sum(int n, const int *a, int *y) {
    int t = threadIdx.x, v = t < n ? a[t] : 0;
    for (int step = 16; step > 0; step /= 2)
        v += __shfl_down_sync(0xffffffff, v, step);
    if (t % 32 == 0)
        y[t / 32] = v;
}
