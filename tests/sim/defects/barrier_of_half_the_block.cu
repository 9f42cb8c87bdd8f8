// Two warps meet at a barrier of their own; one of them reads what a third wrote.
// launch: grid 1 block 128
// out y: i32 128
// finding: R001
extern "C" __global__ void part(int *y) {
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = t; //~ R001
    if (t < 64) {
        asm volatile("bar.sync 1, 64;" ::: "memory");
        y[t] = s[127 - t]; //~ R001
    } else {
        y[t] = 0;
    }
}
