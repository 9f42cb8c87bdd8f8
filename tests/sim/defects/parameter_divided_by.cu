// The number of columns is not given: every block divides by the same zero, for an index.
// launch: grid 2 block 8
// arg columns: i32 = 0
// in x: i32 4 = i
// out y: i32 16
// finding: M001
// finding: N004
extern "C" __global__ void parameter_divided_by(int columns, const int *x, int *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = x[i % columns]; //~ N004 M001
}
