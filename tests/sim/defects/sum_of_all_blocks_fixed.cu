// Each block adds its sum to one element by an atomic.
// launch: grid 4 block 32
// in a: i32 128 = i
// inout y: i32 1 = 0
// expect y = 8128
extern "C" __global__ void sum(const int *a, int *y) {
    int value = a[blockIdx.x * 32 + threadIdx.x];
    for (int step = 16; step > 0; step /= 2) {
        value += __shfl_down_sync(~0u, value, step);
    }
    if (threadIdx.x == 0) {
        atomicAdd(y, value);
    }
}
