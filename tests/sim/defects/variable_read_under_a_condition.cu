// The threads that a condition chooses read what another writes; those it does not choose have no part in it.
// launch: grid 1 block 64
// out y: i32 64
// finding: R001
extern "C" __global__ void keep(int *y) {
    __shared__ int own[4];
    int t = threadIdx.x;
    if (t == 40)
        own[t - 38] = 9;
    int v = t == 3 ? own[2] : 7; //~ R001
    y[t] = v;
}
