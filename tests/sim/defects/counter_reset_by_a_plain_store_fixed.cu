// The block that comes last sets the counter back: all others have counted before.
// launch: grid 3 block 32
// inout count: u32 1 = 0
// inout round: u32 1 = 0
// inout x: i32 96 = 0
// out y: i32 96
// expect y[i] = 95 - i
extern "C" __global__ void phases(unsigned *count, unsigned *round, int *x, int *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    x[i] = i;
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        unsigned before = *(volatile unsigned *)round;
        if (atomicAdd(count, 1u) == gridDim.x - 1) {
            *count = 0;
            __threadfence();
            *(volatile unsigned *)round = before + 1;
        }
        while (*(volatile unsigned *)round == before) {
        }
        __threadfence();
    }
    __syncthreads();
    y[i] = x[95 - i];
}
