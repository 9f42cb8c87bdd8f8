// __syncwarp() of all lanes waits for the upper half, too.
// launch: grid 1 block 32
// out y: i32 32
// expect y[i] = i < 16 ? i + 16 : 0
extern "C" __global__ void halves(int *y) {
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = t;
    __syncwarp();
    y[t] = t < 16 ? s[t + 16] : 0;
}
