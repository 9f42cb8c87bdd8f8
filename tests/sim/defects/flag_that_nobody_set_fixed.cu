// The flag is set before the launch.
// launch: grid 2 block 1
// inout data: i32 1 = 0
// inout flag: i32 1 = 0
// out y: i32 1
// expect y = 42
extern "C" __global__ void hand_over(int *data, volatile int *flag, int *y) {
    if (blockIdx.x == 0) {
        *data = 42;
        __threadfence();
        *flag = 1;
    } else {
        while (*flag == 0) {
        }
        __threadfence();
        *y = *data;
    }
}
