// A volatile variable of the block is compared and stored by three warps: each finds it small enough.
// launch: grid 1 block 96
// in a: i32 96 = (i * 37 + 11) % 96
// out most: i32 1
// finding: R001
extern "C" __global__ void greatest(const int *a, int *most) {
    __shared__ volatile int best;
    if (threadIdx.x == 0) best = -1;
    __syncthreads();
    int value = a[threadIdx.x];
    if (threadIdx.x % 32 == 5 && best < 1000)
        best = value; //~ R001
    __syncthreads();
    if (threadIdx.x == 0) *most = best;
}
