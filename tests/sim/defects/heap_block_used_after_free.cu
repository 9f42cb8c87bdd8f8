// A kernel reads a block that it has freed, after other blocks were allocated.
// launch: grid 1 block 4
// out y: i32 4
// finding: M007
extern "C" __global__ void late(int *y) {
    int *p = (int *)malloc(8);
    p[0] = threadIdx.x;
    free(p);
    int *q = (int *)malloc(8);
    q[0] = 7;
    y[threadIdx.x] = p[0] + q[0]; //~ M007
    free(q);
}
