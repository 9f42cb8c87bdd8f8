// A barrier lies between clearing and raising.
// launch: grid 1 block 96
// in x: i32 96 = i
// out y: i32 1
// expect y = 1
extern "C" __global__ void any(const int *x, int *y) {
    __shared__ int found;
    found = 0;
    __syncthreads();
    if (x[threadIdx.x] % 5 == 0) {
        found = 1;
    }
    __syncthreads();
    if (threadIdx.x == 0) y[0] = found;
}
