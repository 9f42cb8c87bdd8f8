// The data is there before the flag is up.
// launch: grid 2 block 1
// inout flag: i32 1 = 0
// inout data: i32 1 = 0
// out y: i32 1
// expect y = 7
extern "C" __global__ void hand_over(int *flag, int *data, int *y) {
    if (blockIdx.x == 0) {
        *data = 7;
        __threadfence();
        atomicExch(flag, 1);
    } else {
        while (atomicAdd(flag, 0) == 0) {
        }
        __threadfence();
        *y = *data;
    }
}
