// The counter is set to zero before any thread of the block counts.
// launch: grid 1 block 64
// out y: i32 1
// expect y = 64
extern "C" __global__ void count(int *y) {
    __shared__ int counter;
    if (threadIdx.x == 0) {
        counter = 0;
    }
    __syncthreads();
    atomicAdd(&counter, 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        y[0] = counter;
    }
}
