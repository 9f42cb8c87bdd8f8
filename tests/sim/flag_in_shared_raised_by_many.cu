// Whoever finds a multiple raises one flag of the block: whoever comes last, it is raised.
// launch: grid 2 block 96
// in x: i32 192 = i * 7
// out y: i32 2
// expect y = 1 1
extern "C" __global__ void any(const int *x, int *y) {
    __shared__ bool found;
    __shared__ int count[2];
    found = false;
    if (threadIdx.x % 48 == 0) count[threadIdx.x / 48] = 0;
    __syncthreads();
    if (x[blockIdx.x * 96 + threadIdx.x] % 5 == 0) {
        found = true;
        count[threadIdx.x % 2] = 1;
    }
    __syncthreads();
    if (threadIdx.x == 0) y[blockIdx.x] = found && count[0] + count[1] == 2;
}
