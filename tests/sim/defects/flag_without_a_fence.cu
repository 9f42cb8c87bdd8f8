// A block passes a value on, and raises a volatile flag to say so, with no fence between the two.
// launch: grid 2 block 32
// inout flag: i32 1 = 0
// inout value: i32 32 = 0
// out y: i32 32
// finding: R002
extern "C" __global__ void pass_on(volatile int *flag, volatile int *value, int *y) {
    if (blockIdx.x == 0) {
        value[threadIdx.x] = 2 * threadIdx.x;
        __syncthreads();
        if (threadIdx.x == 0) *flag = 1;
    } else {
        if (threadIdx.x == 0) {
            while (*flag == 0) {
            }
        }
        __syncthreads();
        y[threadIdx.x] = value[threadIdx.x]; //~ R002
    }
}
