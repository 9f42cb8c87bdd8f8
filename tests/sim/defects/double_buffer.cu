// Two buffers in turn, and no barrier between a round's writes and its reads.
// launch: grid 1 block 64
// arg n: i32 = 5
// in a: i32 320 = i
// out y: i32 64
// finding: R001
extern "C" __global__ void rounds(int n, const int *a, int *y) {
    __shared__ int tile[2][64];
    int t = threadIdx.x, sum = 0;
    for (int k = 0; k < n; k++) {
        tile[k % 2][t] = a[k * 64 + t]; //~ R001
        sum += tile[k % 2][63 - t]; //~ R001
    }
    y[t] = sum;
}
