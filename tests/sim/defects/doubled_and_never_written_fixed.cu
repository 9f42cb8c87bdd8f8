// The number is there.
// launch: grid 1 block 32
// out x: i32 32
// out y: i32 32
// expect y[i] = 2 * i
extern "C" __global__ void twice(int *x, int *y) {
    x[threadIdx.x] = threadIdx.x;
    y[threadIdx.x] = 2 * x[threadIdx.x];
}
