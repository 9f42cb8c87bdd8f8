// One thread stores.
// launch: grid 1 block 32
// out y: i32 1
// expect y = 31
extern "C" __global__ void last(int *y) {
    __shared__ int s;
    if (threadIdx.x == 31) {
        s = threadIdx.x;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        y[0] = s;
    }
}
