// It frees what its heap gave, and nothing.
// launch: grid 1 block 1
// inout y: i32 1 = 5
// expect y = 6
extern "C" __global__ void right(int *y) {
    int *p = (int *)malloc(4);
    *p = *y + 1;
    *y = *p;
    free(p);
    free(nullptr);
}
