// A warp of 20 threads adds up as if it were whole: some take what threads have that are not there.
// launch: grid 1 block 20
// out y: i32 1
// finding: B003
extern "C" __global__ void sum(int *y) {
    int v = threadIdx.x;
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_down_sync(0xfffff, v, d); //~ B003
    if (threadIdx.x == 0)
        *y = v;
}
