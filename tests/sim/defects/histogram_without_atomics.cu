// Threads that meet the same value count it once.
// launch: grid 2 block 64
// in a: i32 128 = i * i % 8
// inout bins: i32 8 = 0
// finding: R002
extern "C" __global__ void histogram(const int *a, int *bins) {
    int value = a[blockIdx.x * blockDim.x + threadIdx.x];
    bins[value]++; //~ R002
}
