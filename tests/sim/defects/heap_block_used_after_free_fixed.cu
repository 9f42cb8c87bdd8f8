// It reads the block before it frees it.
// launch: grid 1 block 4
// out y: i32 4
// expect y[i] = i + 7
extern "C" __global__ void early(int *y) {
    int *p = (int *)malloc(8);
    p[0] = threadIdx.x;
    int *q = (int *)malloc(8);
    q[0] = 7;
    y[threadIdx.x] = p[0] + q[0];
    free(p);
    free(q);
}
