// The greatest of a block is compared and stored in one step.
// launch: grid 1 block 96
// in a: i32 96 = (i * 37 + 11) % 96
// out most: i32 1
// expect most = 95
extern "C" __global__ void greatest(const int *a, int *most) {
    __shared__ int best;
    if (threadIdx.x == 0) best = -1;
    __syncthreads();
    atomicMax(&best, a[threadIdx.x]);
    __syncthreads();
    if (threadIdx.x == 0) *most = best;
}
