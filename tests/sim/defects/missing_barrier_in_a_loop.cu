// The tile is written again while others still read it.
// launch: grid 1 block 64
// arg n: i32 = 4
// in a: i32 256 = i
// out y: i32 64
// finding: R001
extern "C" __global__ void tiles(int n, const int *a, int *y) {
    __shared__ int tile[64];
    int t = threadIdx.x, sum = 0;
    for (int k = 0; k < n; k++) {
        tile[t] = a[k * 64 + t]; //~ R001
        __syncthreads();
        sum += tile[(t + 33) % 64];
    }
    y[t] = sum;
}
