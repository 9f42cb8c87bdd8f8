// The last thread of each block stores for it.
// launch: grid 2 block 64
// out y: i32 2
// expect y = 63 63
extern "C" __global__ void last(int *y) {
    if (threadIdx.x == 63) {
        y[blockIdx.x] = threadIdx.x;
    }
}
