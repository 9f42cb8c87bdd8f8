// The last element has no next one.
// launch: grid 2 block 32
// arg n: i32 = 64
// in a: i32 64 = i
// out y: i32 64
// expect y[i] = (i + 1) % 64
extern "C" __global__ void next(int n, const int *a, int *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = i + 1 < n ? a[i + 1] : 0;
}
