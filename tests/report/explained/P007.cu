// launch: grid 4 block 64
// in a: i32 256 = i
// inout count: i32 1 = 0
// finding: P007
extern "C" __global__ void sum(const int *a, int *count) {
    int x = a[blockIdx.x * blockDim.x + threadIdx.x];
#ifdef FIXED
    for (int step = 16; step > 0; step /= 2)
        x += __shfl_down_sync(0xffffffff, x, step);
    if (threadIdx.x % 32 == 0) atomicAdd(count, x);
#else
    atomicAdd(count, x);
#endif
}
