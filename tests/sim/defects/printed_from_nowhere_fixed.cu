// Text that the kernel has.
// launch: grid 1 block 1
// inout y: i32 1 = 4
// expect y[i] = 4
// print: four
extern "C" __global__ void tell(const int *y) {
    printf("%s\n", y[0] == 4 ? "four" : "another");
}
