// Each by its own pitch.
// launch: grid 1 block 16,8
// in a: i32 128 = i
// out y: i32 128
// expect y[i] = i
extern "C" __global__ void right(const int *a, int *y) {
    int row = threadIdx.y, column = threadIdx.x;
    y[row * 16 + column] = a[row * 16 + column];
}
