// One thread waits for the other blocks, and its block waits for it.
// launch: grid 3 block 64
// inout count: u32 1 = 0
// inout x: i32 192 = 0
// out y: i32 192
// expect y[i] = 191 - i
extern "C" __global__ void phases(unsigned *count, int *x, int *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    x[i] = i;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicAdd(count, 1u);
        while (atomicAdd(count, 0u) < gridDim.x) {
        }
        __threadfence();
    }
    __syncthreads();
    y[i] = x[191 - i];
}
