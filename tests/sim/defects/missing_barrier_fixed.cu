// The barrier stands between store and load.
// launch: grid 1 block 64
// out y: i32 64
// expect y[i] = 63 - i
extern "C" __global__ void turn(int *y) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = t;
    __syncthreads();
    y[t] = s[63 - t];
}
