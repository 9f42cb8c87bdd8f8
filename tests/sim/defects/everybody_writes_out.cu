// All threads of a block store their own value to one element of a buffer.
// launch: grid 2 block 64
// out y: i32 2
// finding: R002
extern "C" __global__ void last(int *y) {
    y[blockIdx.x] = threadIdx.x; //~ R002
}
