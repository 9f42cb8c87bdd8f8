// Threads read by a plain pointer what others have written before the barrier.
// launch: grid 1 block 64
// inout x: i32 64 = 0
// out y: i32 64
// expect y[i] = 63 - i
extern "C" __global__ void turn(int *x, int *y) {
    int t = threadIdx.x;
    x[t] = t;
    __syncthreads();
    y[t] = x[63 - t];
}
