// A lane calls with a mask that does not name it.
// launch: grid 1 block 32
// in a: i32 32 = i
// out y: i32 32
// finding: B003
extern "C" __global__ void left_out(const int *a, int *y) {
    int t = threadIdx.x;
    y[t] = __shfl_sync(0x0000ffff, a[t], 3); //~ B003
}
