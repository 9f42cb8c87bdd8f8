// A loop passes the end of a block that the kernel allocated.
// launch: grid 1 block 4
// out y: i32 4
// finding: M001
extern "C" __global__ void sums(int *y) {
    int *p = (int *)malloc(5 * sizeof(int));
    for (int i = 0; i <= 5; i++) p[i] = i; //~ M001
    int sum = 0;
    for (int i = 0; i < 5; i++) sum += p[i];
    free(p);
    y[threadIdx.x] = sum;
}
