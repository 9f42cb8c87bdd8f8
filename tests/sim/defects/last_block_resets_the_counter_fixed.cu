// The last block sets the counter back, and the sum is the guide's: fence, atomic, barrier.
// launch: grid 4 block 32
// inout count: u32 1 = 0
// inout parts: i32 4 = 0
// out y: i32 1
// expect y = 10
// expect count = 0
extern "C" __global__ void last(unsigned *count, volatile int *parts, int *y) {
    __shared__ bool is_last;
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = blockIdx.x + 1;
        __threadfence();
        is_last = atomicInc(count, gridDim.x) == gridDim.x - 1;
    }
    __syncthreads();
    if (is_last && threadIdx.x == 0) {
        int total = 0;
        for (int k = 0; k < gridDim.x; k++) {
            total += parts[k];
        }
        if (is_last) {
            *y = total;
        }
        *count = 0;
    }
}
