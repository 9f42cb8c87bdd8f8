// A volatile store raises the flag that an atomic waits for.
// launch: grid 2 block 1
// inout flag: i32 1 = 0
// inout data: i32 1 = 0
// out y: i32 1
// expect y = 7
extern "C" __global__ void hand_over(int *flag, int *data, int *y) {
    if (blockIdx.x == 0) {
        *data = 7;
        __threadfence();
        *(volatile int *)flag = 1;
        __threadfence();
    } else {
        while (atomicAdd(flag, 0) == 0) {
        }
        __threadfence();
        *y = *data;
    }
}
