// One barrier a round is enough for two buffers, not for one.
// launch: grid 1 block 64
// arg n: i32 = 5
// in a: i32 320 = i
// out y: i32 64
// finding: R001
extern "C" __global__ void rounds(int n, const int *a, int *y) {
    __shared__ int tile[2][64];
    int t = threadIdx.x, sum = 0;
    for (int k = 0; k < n; k++) {
        int *now = tile[ 0 ];
        now[t] = a[k * 64 + t]; //~ R001
        __syncthreads();
        sum += now[63 - t]; //~ R001
    }
    y[t] = sum;
}
