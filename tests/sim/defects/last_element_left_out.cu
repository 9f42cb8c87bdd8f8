// A histogram's bins are cleared but for the last.
// launch: grid 1 block 32
// in a: i32 32 = i % 5
// out y: i32 5
// finding: I001
extern "C" __global__ void bins(const int *a, int *y) {
    __shared__ int bins[5];
    int t = threadIdx.x;
    if (t < 4)
        bins[t] = 0;
    __syncthreads();
    atomicAdd(&bins[a[t]], 1); //~ I001
    __syncthreads();
    if (t < 5)
        y[t] = bins[t];
}
