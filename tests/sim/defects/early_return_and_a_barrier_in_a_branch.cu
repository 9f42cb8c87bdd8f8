// Some threads return before the barrier, and others never come to it.
// launch: grid 1 block 64
// arg n: i32 = 50
// in a: i32 50 = i
// out y: i32 50
// finding: B001
extern "C" __global__ void early(int n, const int *a, int *y) {
    __shared__ int s[64];
    int t = threadIdx.x;
    if (t >= n)
        return;
    s[t] = a[t];
    if (t < 40) {
        __syncthreads(); //~ B001
        y[t] = s[39 - t];
    }
}
