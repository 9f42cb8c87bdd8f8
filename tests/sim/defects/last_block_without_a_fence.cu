// The last block to finish sums what the others wrote, but no fence orders a block's part before its count.
// arch: 80
// launch: grid 6 block 32
// inout count: u32 1 = 0
// inout parts: i32 6 = 0
// out y: i32 1
// finding: R002
// note: The reader relied on a later write of the writer's block, such as a counter or a flag. No __threadfence() orders the two writes, so the later one may be visible before the value is: volatile and atomic accesses do not order others.
extern "C" __global__ void last(unsigned *count, volatile int *parts, int *y) {
    __shared__ bool is_last;
    int sum = __reduce_add_sync(~0u, (int)(blockIdx.x * 32 + threadIdx.x));
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = sum;
        is_last = atomicAdd(count, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (is_last && threadIdx.x == 0) {
        int total = 0;
        for (int k = 0; k < gridDim.x; k++) {
            total += parts[k]; //~ R002
        }
        *y = total;
    }
}
