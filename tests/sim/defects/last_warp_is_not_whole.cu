// A block of 40 threads: the second warp has eight lanes, and the mask names 32.
// launch: grid 1 block 40
// in a: i32 40 = 1
// out y: i32 2
// finding: B003
extern "C" __global__ void sum(const int *a, int *y) {
    int t = threadIdx.x, v = a[t];
    for (int step = 16; step > 0; step /= 2)
        v += __shfl_down_sync(0xffffffff, v, step); //~ B003
    if (t % 32 == 0)
        y[t / 32] = v;
}
