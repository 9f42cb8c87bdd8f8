// It is freed once.
// launch: grid 1 block 1
// out y: i32 1
// expect y = 5
extern "C" __global__ void once(int *y) {
    int *p = (int *)malloc(16);
    *p = 5;
    *y = *p;
    free(p);
}
