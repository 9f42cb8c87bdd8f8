// All read before any of them writes.
// launch: grid 1 block 128
// out y: i32 128
// expect y[i] = i + 1
extern "C" __global__ void scan(int *y) {
    __shared__ volatile int s[128];
    int t = threadIdx.x;
    s[t] = 1;
    __syncthreads();
    for (int d = 1; d < 128; d *= 2) {
        int before = t >= d ? s[t - d] : 0;
        __syncthreads();
        s[t] += before;
        __syncthreads();
    }
    y[t] = s[t];
}
