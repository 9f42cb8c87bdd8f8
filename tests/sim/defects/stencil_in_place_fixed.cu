// Each thread reads its neighbours and writes to another buffer.
// launch: grid 1 block 64
// arg n: i32 = 64
// inout x: i32 64 = i
// out y: i32 64
// expect y[i] = i == 0 ? 0 : i == 63 ? 0 : 3 * i
extern "C" __global__ void stencil(int n, int *x, int *y) {
    int i = threadIdx.x, sum = 0;
    if (i > 0 && i < n - 1) {
        sum = x[i - 1] + x[i] + x[i + 1];
    }
    y[i] = sum;
}
