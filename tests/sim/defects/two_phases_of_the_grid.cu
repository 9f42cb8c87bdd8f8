// A barrier of the block does not order what another block wrote.
// launch: grid 2 block 32
// inout x: i32 64 = 0
// out y: i32 64
// finding: R002
extern "C" __global__ void phases(int *x, int *y) {
    int first = blockIdx.x * 32, t = threadIdx.x;
    x[first + t] = first + t; //~ R002
    __syncthreads();
    y[first + t] = x[63 - first - t]; //~ R002
}
