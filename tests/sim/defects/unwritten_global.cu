// Adds to a buffer that nobody filled.
// launch: grid 1 block 32
// out y: i32 32
// finding: I001
extern "C" __global__ void add(int *y) {
    y[threadIdx.x] += 1; //~ I001
}
