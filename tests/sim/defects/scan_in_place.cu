// Each step of the scan writes where others still read.
// launch: grid 1 block 64
// in a: i32 64 = i
// out y: i32 64
// finding: R001
extern "C" __global__ void scan(const int *a, int *y) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = a[t];
    __syncthreads();
    for (int step = 1; step < 64; step *= 2) {
        if (t >= step) {
            s[t] += s[t - step]; //~ R001
        }
        __syncthreads();
    }
    y[t] = s[t];
}
