// The mask names lanes that have left, and one of them is read.
// launch: grid 1 block 32
// in a: i32 32 = i
// out y: i32 32
// finding: B003
extern "C" __global__ void alone(const int *a, int *y) {
    int t = threadIdx.x, v = a[t];
    if (v >= 16) {
        return;
    }
    y[t] = __shfl_sync(0xffffffff, v, 20); //~ B003
}
