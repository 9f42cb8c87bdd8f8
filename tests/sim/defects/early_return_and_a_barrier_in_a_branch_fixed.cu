// Some threads return before the barrier, and all others come to it.
// launch: grid 1 block 64
// arg n: i32 = 50
// in a: i32 50 = i
// out y: i32 50
// expect y[i] = i < 40 ? 39 - i : 0 - 1
extern "C" __global__ void early(int n, const int *a, int *y) {
    __shared__ int s[64];
    int t = threadIdx.x;
    if (t >= n) {
        return;
    }
    s[t] = a[t];
    __syncthreads();
    y[t] = t < 40 ? s[39 - t] : -1;
}
