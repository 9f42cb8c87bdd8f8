// The index stays within the buffer.
// launch: grid 1 block 32
// out y: i32 32
// expect y[i] = 1
extern "C" __global__ void near(int *y) {
    long long i = threadIdx.x;
    y[i] = 1;
}
