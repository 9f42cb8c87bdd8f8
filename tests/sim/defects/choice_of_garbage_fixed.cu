// What was read too far is not chosen.
// launch: grid 1 block 32
// arg n: i32 = 20
// out y: i32 32
// expect y[i] = i < 20 ? i : 0
extern "C" __global__ void choose(int n, int *y) {
    __shared__ int s[32];
    int t = threadIdx.x;
    if (t < n) s[t] = t;
    __syncthreads();
    int v = ((volatile int *)s)[t];
    y[t] = t < n ? v : 0;
}
