// An index one past the end, by the last thread only.
// launch: grid 2 block 32
// in a: i32 64 = i
// out y: i32 64
// finding: M001
extern "C" __global__ void next(const int *a, int *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = a[i + 1]; //~ M001
}
