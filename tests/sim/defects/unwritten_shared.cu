// Half of the array is written, all of it is read.
// launch: grid 1 block 64
// out y: i32 64
// finding: I001
extern "C" __global__ void half(int *y) {
    __shared__ int s[64];
    int t = threadIdx.x;
    if (t < 32) {
        s[t] = t;
    }
    __syncthreads();
    y[t] = s[t]; //~ I001
}
