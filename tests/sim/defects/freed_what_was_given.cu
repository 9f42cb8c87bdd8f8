// A kernel frees memory that its heap never gave.
// launch: grid 1 block 1
// inout y: i32 1 = 5
// expect y = 5
// finding: A007
extern "C" __global__ void wrong(int *y) {
    free(nullptr);
    free(y); //~ A007
}
