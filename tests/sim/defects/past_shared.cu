// The last thread's neighbour lies outside the shared array.
// launch: grid 1 block 64
// out y: i32 64
// finding: M005
extern "C" __global__ void neighbour(int *y) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = t;
    __syncthreads();
    y[t] = s[t + 1]; //~ M005
}
