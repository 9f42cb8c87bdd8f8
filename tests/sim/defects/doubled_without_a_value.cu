// Memory that nobody filled is doubled: a shift leaves a zero bit, but no value.
// launch: grid 1 block 32
// out y: i32 32
// finding: I001
extern "C" __global__ void twice(int *y) {
    y[threadIdx.x] *= 2; //~ I001
}
