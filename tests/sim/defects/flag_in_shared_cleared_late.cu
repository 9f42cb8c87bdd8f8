// Threads raise a flag of the block while others still clear it.
// launch: grid 1 block 96
// in x: i32 96 = i
// out y: i32 1
// finding: R001
extern "C" __global__ void any(const int *x, int *y) {
    __shared__ int found;
    found = 0;
    if (x[threadIdx.x] % 5 == 0) { //~ R001
        found = 1;
    }
    __syncthreads();
    if (threadIdx.x == 0) y[0] = found;
}
