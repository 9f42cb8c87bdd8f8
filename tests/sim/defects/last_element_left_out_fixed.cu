// All are cleared.
// launch: grid 1 block 32
// in a: i32 32 = i % 5
// out y: i32 5
// expect y = 7 7 6 6 6
extern "C" __global__ void bins(const int *a, int *y) {
    __shared__ int bins[5];
    int t = threadIdx.x;
    if (t < 5)
        bins[t] = 0;
    __syncthreads();
    atomicAdd(&bins[a[t]], 1);
    __syncthreads();
    if (t < 5)
        y[t] = bins[t];
}
