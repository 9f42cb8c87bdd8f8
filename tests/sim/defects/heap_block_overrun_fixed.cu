// The loop ends at the block's end.
// launch: grid 1 block 4
// out y: i32 4
// expect y[i] = 10
extern "C" __global__ void sums(int *y) {
    int *p = (int *)malloc(5 * sizeof(int));
    for (int i = 0; i < 5; i++) p[i] = i;
    int sum = 0;
    for (int i = 0; i < 5; i++) sum += p[i];
    free(p);
    y[threadIdx.x] = sum;
}
