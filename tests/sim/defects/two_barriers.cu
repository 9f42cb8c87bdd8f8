// Both sides of a branch have a barrier of their own.
// launch: grid 1 block 64
// in a: i32 64 = i
// out y: i32 64
// finding: B001
extern "C" __global__ void sides(const int *a, int *y) {
    int t = threadIdx.x;
    if (a[t] % 2) {
        y[t] = 1;
        __syncthreads();
    } else {
        y[t] = 2;
        __syncthreads();
    }
}
