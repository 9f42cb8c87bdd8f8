// Half of the warp never reaches the barrier: it has left.
// launch: grid 1 block 32
// out y: i32 32
// finding: B001
extern "C" __global__ void some(int *y) {
    int t = threadIdx.x;
    if (t < 16) {
        y[t] = t;
        __syncthreads(); //~ B001
    }
}
