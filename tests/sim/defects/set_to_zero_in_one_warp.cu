// The counter is set to zero before the threads of its own warp count, and only before those.
// launch: grid 1 block 64
// out y: i32 1
// finding: R001
extern "C" __global__ void count(int *y) {
    __shared__ int counter;
    if (threadIdx.x == 0) {
        counter = 0;
    }
    __syncwarp();
    atomicAdd(&counter, 1); //~ R001
    __syncthreads();
    if (threadIdx.x == 0) {
        y[0] = counter;
    }
}
