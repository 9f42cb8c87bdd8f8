// Nobody has set the flag before the launch: it may hold anything when the other block reads it first.
// launch: grid 2 block 1
// inout data: i32 1 = 0
// out flag: i32 1
// out y: i32 1
// finding: I001
extern "C" __global__ void hand_over(int *data, volatile int *flag, int *y) {
    if (blockIdx.x == 0) {
        *data = 42;
        __threadfence();
        *flag = 1;
    } else {
        while (*flag == 0) { //~ I001
        }
        __threadfence();
        *y = *data;
    }
}
