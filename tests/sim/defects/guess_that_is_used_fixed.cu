// What begins a loop of compare-and-swap only begins it.
// launch: grid 1 block 64
// out y: i32 64
// out z: i32 64
// expect y[i] = 64
// expect z[i] = 0
extern "C" __global__ void add(int *y, int *z) {
    __shared__ int sum;
    if (threadIdx.x == 0) {
        sum = 0;
    }
    __syncthreads();
    int old = sum, assumed;
    z[threadIdx.x] = 0;
    do {
        assumed = old;
        old = atomicCAS(&sum, assumed, assumed + 1);
    } while (assumed != old);
    __syncthreads();
    y[threadIdx.x] = sum;
}
