// The mask is right, but the lane that is read is none of those.
// launch: grid 1 block 32
// in a: i32 32 = i
// out y: i32 32
// finding: B003
extern "C" __global__ void inactive(const int *a, int *y) {
    int t = threadIdx.x, v = a[t];
    if (v < 16)
        y[t] = __shfl_sync(0x0000ffff, v, 20); //~ B003
}
