// Each step of the scan reads, waits, and writes.
// launch: grid 1 block 64
// in a: i32 64 = i
// out y: i32 64
// expect y[i] = i * (i + 1) / 2
extern "C" __global__ void scan(const int *a, int *y) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = a[t];
    __syncthreads();
    for (int step = 1; step < 64; step *= 2) {
        int before = t >= step ? s[t - step] : 0;
        __syncthreads();
        s[t] += before;
        __syncthreads();
    }
    y[t] = s[t];
}
