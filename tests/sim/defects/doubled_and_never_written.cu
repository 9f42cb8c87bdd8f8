// Twice a number that nobody wrote: the one bit that is known of it does not make it one.
// launch: grid 1 block 32
// out x: i32 32
// out y: i32 32
// finding: I001
extern "C" __global__ void twice(int *x, int *y) {
    y[threadIdx.x] = 2 * x[threadIdx.x]; //~ I001
    x[threadIdx.x] = 0;
}
