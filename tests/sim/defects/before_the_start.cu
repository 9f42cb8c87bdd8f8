// A negative index.
// launch: grid 1 block 32
// in a: i32 32 = i
// out y: i32 32
// finding: M001
extern "C" __global__ void previous(const int *a, int *y) {
    int i = threadIdx.x;
    y[i] = a[i - 1]; //~ M001
}
