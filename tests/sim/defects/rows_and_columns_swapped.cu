// A matrix of 8 by 16, indexed as one of 16 by 8.
// launch: grid 1 block 8,16
// in a: i32 128 = i
// out y: i32 128
// finding: M001
extern "C" __global__ void swapped(const int *a, int *y) {
    int row = threadIdx.y, column = threadIdx.x;
    y[row * 8 + column] = a[row * 16 + column]; //~ M001
}
