// An exchange sets the beginning.
// launch: grid 1 block 32
// out count: i32 1
// out y: i32 32
// expect count = 37
// expect y[i] = 1
extern "C" __global__ void count(int *count, int *y) {
    if (threadIdx.x == 0)
        atomicExch(count, 5);
    __syncthreads();
    atomicAdd(count, 1);
    __syncthreads();
    y[threadIdx.x] = *count > 0 ? 1 : 2;
}
