// What begins a loop of compare-and-swap is also stored: it may be any value.
// launch: grid 1 block 64
// out y: i32 64
// out z: i32 64
// finding: R001
extern "C" __global__ void add(int *y, int *z) {
    __shared__ int sum;
    if (threadIdx.x == 0) {
        sum = 0;
    }
    __syncthreads();
    int old = sum, assumed; //~ R001
    z[threadIdx.x] = old;
    do {
        assumed = old;
        old = atomicCAS(&sum, assumed, assumed + 1); //~ R001
    } while (assumed != old);
    __syncthreads();
    y[threadIdx.x] = sum;
}
