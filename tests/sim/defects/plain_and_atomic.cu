// The counter is set to zero while others count.
// launch: grid 1 block 64
// out y: i32 1
// finding: R001
extern "C" __global__ void count(int *y) {
    __shared__ int counter;
    if (threadIdx.x == 0) {
        counter = 0;
    }
    atomicAdd(&counter, 1); //~ R001
    __syncthreads();
    if (threadIdx.x == 0) {
        y[0] = counter;
    }
}
