// Atomics count every value.
// launch: grid 2 block 64
// in a: i32 128 = i * i % 8
// inout bins: i32 8 = 0
// expect bins = 32 64 0 0 32 0 0 0
extern "C" __global__ void histogram(const int *a, int *bins) {
    int value = a[blockIdx.x * blockDim.x + threadIdx.x];
    atomicAdd(&bins[value], 1);
}
