// A kernel gives one block of its heap back twice.
// launch: grid 1 block 1
// out y: i32 1
// expect y = 5
// finding: A006
extern "C" __global__ void twice(int *y) {
    int *p = (int *)malloc(16);
    *p = 5;
    *y = *p;
    free(p);
    free(p); //~ A006
}
