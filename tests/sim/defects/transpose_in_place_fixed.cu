// One thread of each pair of elements swaps them.
// launch: grid 1 block 8,8
// inout x: i32 64 = i
// expect x[i] = i % 8 * 8 + i / 8
extern "C" __global__ void transpose(int *x) {
    int row = threadIdx.y, column = threadIdx.x;
    if (row < column) {
        int a = x[row * 8 + column];
        int b = x[column * 8 + row];
        x[row * 8 + column] = b;
        x[column * 8 + row] = a;
    }
}
