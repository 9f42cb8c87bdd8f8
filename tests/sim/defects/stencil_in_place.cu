// Each thread reads its neighbours and writes over what they read.
// launch: grid 1 block 64
// arg n: i32 = 64
// inout x: i32 64 = i
// out y: i32 64
// finding: R002
extern "C" __global__ void stencil(int n, int *x, int *y) {
    int i = threadIdx.x, sum = 0;
    if (i > 0 && i < n - 1) {
        sum = x[i - 1] + x[i] + x[i + 1]; //~ R002
    }
    x[i] = sum; //~ R002
}
