// What comes from beyond the last thread is not added.
// launch: grid 1 block 20
// out y: i32 1
// expect y = 190
extern "C" __global__ void sum(int *y) {
    int v = threadIdx.x;
    for (int d = 16; d > 0; d /= 2) {
        int other = __shfl_down_sync(0xfffff, v, d);
        if (threadIdx.x + d < 20)
            v += other;
    }
    if (threadIdx.x == 0)
        *y = v;
}
