// The last block to finish sums what the others wrote, found by an atomic counter and fences.
// arch: 80
// launch: grid 6 block 32
// inout count: u32 1 = 0
// inout parts: i32 6 = 0
// out y: i32 1
// expect y = 18336
// expect count = 6
extern "C" __global__ void last(unsigned *count, volatile int *parts, int *y) {
    __shared__ bool is_last;
    int sum = __reduce_add_sync(~0u, (int)(blockIdx.x * 32 + threadIdx.x));
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = sum;
        __threadfence();
        is_last = atomicAdd(count, 1u) == gridDim.x - 1;
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
