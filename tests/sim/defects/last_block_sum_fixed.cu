// The last block to come sums the parts of the others, which fences make visible to it.
// launch: grid 6 block 32
// inout count: u32 1 = 0
// inout parts: i32 6 = 0
// out y: i32 1
// expect y = 18336
extern "C" __global__ void last(unsigned *count, int *parts, int *y) {
    __shared__ bool is_last;
    int sum = blockIdx.x * 32 + threadIdx.x;
    for (int step = 16; step > 0; step /= 2) {
        sum += __shfl_down_sync(~0u, sum, step);
    }
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = sum;
        __threadfence();
        is_last = atomicAdd(count, 1u) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (is_last && threadIdx.x == 0) {
        int total = 0;
        for (int k = 0; k < gridDim.x; k++) {
            total += parts[k];
        }
        *y = total;
    }
}
