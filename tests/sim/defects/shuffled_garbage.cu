// Lanes past the end read what nobody stored, and a shuffle carries it to the sum.
// launch: grid 1 block 32
// arg n: i32 = 20
// out y: i32 1
// finding: I001
extern "C" __global__ void sum(int n, int *y) {
    __shared__ int s[32];
    int t = threadIdx.x;
    if (t < n) s[t] = t;
    __syncwarp();
    int v = s[t]; //~ I001
    for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(~0u, v, d);
    if (t == 0) y[0] = v;
}
