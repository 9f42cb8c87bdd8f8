// A wavefront across 64 threads: hundreds of barriers in a loop.
// launch: grid 2 block 64
// in a: i32 64 = i % 7
// out y: i32 128
// expect y[i] = sum(k, 0, i % 64 + 1, a[k])
extern "C" __global__ void wavefront(const int *a, int *y) {
    __shared__ int sums[2][64];
    int t = threadIdx.x, now = 0;
    sums[0][t] = a[t];
    __syncthreads();
    for (int step = 1; step < 64; step *= 2) {
        sums[1 - now][t] = sums[now][t] + (t >= step ? sums[now][t - step] : 0);
        now = 1 - now;
        __syncthreads();
    }
    y[blockIdx.x * 64 + t] = sums[now][t];
}
