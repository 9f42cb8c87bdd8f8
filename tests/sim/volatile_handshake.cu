// Producer and consumer warps of one block talk through volatile shared memory.
// launch: grid 1 block 64
// out y: i32 32
// expect y[i] = i * i + 5
extern "C" __global__ void handshake(int *y) {
    __shared__ volatile int ready;
    __shared__ volatile int values[32];
    int t = threadIdx.x;
    if (t == 0) {
        ready = 0;
    }
    __syncthreads();
    if (t >= 32) {
        values[t - 32] = (t - 32) * (t - 32) + 5;
        __threadfence_block();
        __syncwarp();
        if (t == 32) {
            ready = 1;
        }
    } else {
        while (ready == 0) {
        }
        __threadfence_block();
        y[t] = values[t];
    }
}
