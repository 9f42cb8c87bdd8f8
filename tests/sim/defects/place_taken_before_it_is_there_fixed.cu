// One thread takes places for its block, and the others wait until it is told which.
// launch: grid 2 block 64
// inout next: i32 1 = 0
// out y: i32 128
// expect y[i] = 1
extern "C" __global__ void deal(int *next, int *y) {
    __shared__ int first;
    if (threadIdx.x == 63) first = atomicAdd(next, 64);
    __syncthreads();
    int place = first + threadIdx.x;
    y[place] = 1;
}
