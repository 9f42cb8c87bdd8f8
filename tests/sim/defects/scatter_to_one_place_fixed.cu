// Each source goes to a place of its own.
// launch: grid 2 block 32
// in to: i32 64 = 63 - i
// in a: i32 64 = i
// inout y: i32 64 = 0
// expect y[i] = 63 - i
extern "C" __global__ void scatter(const int *to, const int *a, int *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[to[i]] = a[i];
}
