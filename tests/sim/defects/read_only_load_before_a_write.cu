// Threads write, after the barrier, what others have read by __ldg().
// launch: grid 1 block 64
// inout x: i32 64 = i
// expect x[i] = 63 - i
// finding: R008
extern "C" __global__ void turn(int *x) {
    int t = threadIdx.x;
    int v = __ldg(&x[63 - t]);
    __syncthreads();
    x[t] = v; //~ R008
}
