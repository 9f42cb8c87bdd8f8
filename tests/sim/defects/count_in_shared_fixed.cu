// All lanes of a warp add one to one counter, by atomics.
// launch: grid 1 block 32
// out y: i32 1
// expect y = 32
extern "C" __global__ void count(int *y) {
    __shared__ int counter;
    if (threadIdx.x == 0) {
        counter = 0;
    }
    __syncwarp();
    atomicAdd(&counter, 1);
    __syncwarp();
    if (threadIdx.x == 0) {
        *y = counter;
    }
}
