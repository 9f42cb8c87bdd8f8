// A block waits for another's flag; fences bring the data before the flag.
// launch: grid 2 block 32
// inout flag: i32 1 = 0
// inout data: i32 32 = 0
// out y: i32 32
// expect y[i] = i * i
extern "C" __global__ void hand_over(volatile int *flag, int *data, int *y) {
    int t = threadIdx.x;
    if (blockIdx.x == 0) {
        data[t] = t * t;
        __threadfence();
        __syncthreads();
        if (t == 0) {
            *flag = 1;
        }
    } else {
        while (*flag == 0) {
        }
        __threadfence();
        y[t] = data[t];
    }
}
