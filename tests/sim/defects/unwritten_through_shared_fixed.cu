// Every element has a value.
// launch: grid 1 block 64
// out scratch: i32 64
// out y: i32 64
// expect y[i] = min(63 - i, 60)
extern "C" __global__ void through(int *scratch, int *y) {
    __shared__ int s[64];
    int t = threadIdx.x;
    scratch[t] = t < 60 ? t : 60;
    s[t] = scratch[t];
    __syncthreads();
    y[t] = s[63 - t];
}
