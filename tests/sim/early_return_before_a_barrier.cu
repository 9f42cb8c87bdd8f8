// Threads past the end return before the barrier, which does not wait for them.
// launch: grid 1 block 64
// arg n: i32 = 50
// in a: i32 50 = i
// out y: i32 50
// expect y[i] = 49 - i
extern "C" __global__ void early(int n, const int *a, int *y) {
    __shared__ int s[64];
    int t = threadIdx.x;
    if (t >= n)
        return;
    s[t] = a[t];
    __syncthreads();
    y[t] = s[n - 1 - t];
}
