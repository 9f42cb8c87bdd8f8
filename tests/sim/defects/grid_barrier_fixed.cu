// A barrier over all blocks made of an atomic and fences.
// launch: grid 3 block 32
// inout count: u32 1 = 0
// inout x: i32 96 = 0
// out y: i32 96
// expect y[i] = 95 - i
extern "C" __global__ void phases(unsigned *count, int *x, int *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    x[i] = i;
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(count, 1u);
        while (*(volatile unsigned *)count < gridDim.x) {
        }
        __threadfence();
    }
    __syncthreads();
    y[i] = x[95 - i];
}
