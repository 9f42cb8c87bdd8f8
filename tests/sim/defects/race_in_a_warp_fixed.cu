// The lanes of a warp wait for each other.
// launch: grid 1 block 32
// out y: i32 32
// expect y[i] = 31 - i
extern "C" __global__ void lockstep(int *y) {
    __shared__ volatile int s[32];
    int t = threadIdx.x;
    s[t] = t;
    __syncwarp();
    y[t] = s[31 - t];
}
