// Volatile data, and a volatile flag that a thread of another warp tests: shared memory of one block.
// launch: grid 1 block 64
// out y: i32 32
// expect y[i] = 4 * i
extern "C" __global__ void hand_over(int *y) {
    __shared__ volatile int data[32];
    __shared__ volatile int full;
    int t = threadIdx.x;
    if (t == 0) full = 0;
    __syncthreads();
    int sum = 0;
    for (int round = 0; round < 4; round++) {
        if (t < 32) {
            data[t] = t;
            __syncwarp();
            if (t == 0) full = 1;
            __syncwarp();
            while (full != 0) {
            }
        } else {
            while (full == 0) {
            }
            sum += data[t - 32];
            __syncwarp();
            if (t == 32) full = 0;
            __syncwarp();
        }
    }
    if (t >= 32) y[t - 32] = sum;
}
