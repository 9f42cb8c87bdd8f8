// Elements that were never written travel through shared memory to the result.
// launch: grid 1 block 64
// out scratch: i32 64
// out y: i32 64
// finding: I001
extern "C" __global__ void through(int *scratch, int *y) {
    __shared__ int s[64];
    int t = threadIdx.x;
    if (t < 60)
        scratch[t] = t;
    s[t] = scratch[t]; //~ I001
    __syncthreads();
    y[t] = s[63 - t];
}
