// One thread waits for the other blocks; the rest of its block goes on.
// launch: grid 3 block 64
// inout count: u32 1 = 0
// inout x: i32 192 = 0
// out y: i32 192
// finding: R002
extern "C" __global__ void phases(unsigned *count, int *x, int *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    x[i] = i; //~ R002
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicAdd(count, 1u);
        while (atomicAdd(count, 0u) < gridDim.x) {
        }
        __threadfence();
    }
    y[i] = x[191 - i]; //~ R002
}
