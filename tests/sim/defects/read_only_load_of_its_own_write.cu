// A thread reads by __ldg() what it has written itself.
// launch: grid 2 block 32
// inout x: i32 64 = 0
// out y: i32 64
// expect y[i] = i
// finding: R008
extern "C" __global__ void copy(int *x, int *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    x[i] = i;
    y[i] = __ldg(&x[i]); //~ R008
}
