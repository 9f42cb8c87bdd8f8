// The last thread has no neighbour to the right.
// launch: grid 1 block 64
// out y: i32 64
// expect y[i] = min(i + 1, 63)
extern "C" __global__ void neighbour(int *y) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = t;
    __syncthreads();
    y[t] = t < 63 ? s[t + 1] : s[t];
}
