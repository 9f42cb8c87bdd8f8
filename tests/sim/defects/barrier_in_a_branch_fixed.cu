// The work is guarded, the barrier stands outside.
// launch: grid 1 block 32
// inout y: i32 32 = 0
// expect y[i] = i * max(0, min(1, 16 - i))
extern "C" __global__ void some(int *y) {
    int t = threadIdx.x;
    if (t < 16) {
        y[t] = t;
    }
    __syncthreads();
}
