// Lanes past the end read what nobody stored, and no lane that counts is given it.
// launch: grid 1 block 32
// arg n: i32 = 20
// out y: i32 32
// expect y[i] = i < 19 ? i + 1 : 0
extern "C" __global__ void next(int n, int *y) {
    __shared__ int s[32];
    int t = threadIdx.x;
    if (t < n) s[t] = t;
    __syncwarp();
    int v = __shfl_down_sync(~0u, s[t], 1);
    y[t] = t < n - 1 ? v : 0;
}
