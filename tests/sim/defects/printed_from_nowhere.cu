// Text that printf is to read where nothing is allocated.
// launch: grid 1 block 4
// out y: i32 4
// finding: M001
extern "C" __global__ void tell(int *y) {
    y[threadIdx.x] = threadIdx.x;
    const char *name = (const char *)(size_t)(0x12345678ull + y[0]);
    printf("%s\n", name); //~ M001
}
