// One barrier behind the branch, for both sides.
// launch: grid 1 block 64
// in a: i32 64 = i
// out y: i32 64
// expect y[i] = 2 - i % 2
extern "C" __global__ void sides(const int *a, int *y) {
    int t = threadIdx.x;
    if (a[t] % 2) {
        y[t] = 1;
    } else {
        y[t] = 2;
    }
    __syncthreads();
}
