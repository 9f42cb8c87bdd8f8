// The total is set to zero before the threads of its own block add, and only before those.
// launch: grid 2 block 64
// out y: i32 1
// finding: R002
extern "C" __global__ void count(int *y) {
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        y[0] = 0;
    }
    __syncthreads();
    atomicAdd(y, 1); //~ R002
}
