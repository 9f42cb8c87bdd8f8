// launch: grid 1 block 4
// out y: i32 4
// expect y[i] = i
// Text that the kernel has.
extern "C" __global__ void tell(int *y) {
    y[threadIdx.x] = threadIdx.x;
    const char *name = y[0] == 0 ? "zero" : "another";
    printf("%s\n", name);
}
