// A block waits for another's flag, and reads data that nothing brings before the flag.
// launch: grid 2 block 32
// inout flag: i32 1 = 0
// inout data: i32 32 = 0
// out y: i32 32
// finding: R002
extern "C" __global__ void hand_over(volatile int *flag, int *data, int *y) {
    int t = threadIdx.x;
    if (blockIdx.x == 0) {
        data[t] = t * t; //~ R002
        __syncthreads();
        if (t == 0) {
            *flag = 1;
        }
    } else {
        while (*flag == 0) {
        }
        y[t] = data[t]; //~ R002
    }
}
