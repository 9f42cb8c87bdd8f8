// All threads store their own value to one place.
// launch: grid 1 block 32
// out y: i32 1
// finding: R001
extern "C" __global__ void last(int *y) {
    __shared__ int s;
    s = threadIdx.x; //~ R001
    __syncthreads();
    if (threadIdx.x == 0) {
        y[0] = s;
    }
}
