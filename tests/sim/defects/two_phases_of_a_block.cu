// The second phase reads what other threads of the block write in the first.
// launch: grid 2 block 64
// inout x: i32 128 = 0
// out y: i32 128
// finding: R002
extern "C" __global__ void phases(int *x, int *y) {
    int first = blockIdx.x * 64, t = threadIdx.x;
    x[first + t] = first + t; //~ R002
    y[first + t] = x[first + 63 - t]; //~ R002
}
