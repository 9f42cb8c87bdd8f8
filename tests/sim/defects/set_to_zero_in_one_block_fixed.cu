// Each block sets a total of its own to zero.
// launch: grid 2 block 64
// out y: i32 2
// expect y[i] = 64
extern "C" __global__ void count(int *y) {
    if (threadIdx.x == 0) {
        y[blockIdx.x] = 0;
    }
    __syncthreads();
    atomicAdd(&y[blockIdx.x], 1);
}
