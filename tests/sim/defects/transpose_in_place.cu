// Both threads of a pair of elements swap them.
// launch: grid 1 block 8,8
// inout x: i32 64 = i
// finding: R002
// finding: R002
// finding: R002
// finding: R002
extern "C" __global__ void transpose(int *x) {
    int row = threadIdx.y, column = threadIdx.x;
    if (row != column) {
        int a = x[row * 8 + column];
        int b = x[column * 8 + row]; //~ R002
        x[row * 8 + column] = b; //~ R002
        x[column * 8 + row] = a; //~ R002
    }
}
