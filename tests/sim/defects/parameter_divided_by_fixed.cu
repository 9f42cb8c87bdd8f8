// launch: grid 2 block 8
// arg columns: i32 = 4
// in x: i32 4 = i
// out y: i32 16
// expect y[i] = i % 4
extern "C" __global__ void parameter_divided_by_fixed(int columns, const int *x, int *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = x[i % columns];
}
