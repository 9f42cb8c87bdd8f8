// Every block sets the counter back, whoever counts meanwhile.
// launch: grid 3 block 32
// inout count: u32 1 = 0
// inout round: u32 1 = 0
// inout x: i32 96 = 0
// out y: i32 96
// finding: R002
extern "C" __global__ void phases(unsigned *count, unsigned *round, int *x, int *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    x[i] = i;
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(count, 1u);
        *count = 0; //~ R002
    }
    y[i] = x[i];
}
