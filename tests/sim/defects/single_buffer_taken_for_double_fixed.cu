// One barrier a round is enough for two buffers.
// launch: grid 1 block 64
// arg n: i32 = 5
// in a: i32 320 = i
// out y: i32 64
// expect y[i] = 5 * (63 - i) + 640
extern "C" __global__ void rounds(int n, const int *a, int *y) {
    __shared__ int tile[2][64];
    int t = threadIdx.x, sum = 0;
    for (int k = 0; k < n; k++) {
        int *now = tile[ k % 2 ];
        now[t] = a[k * 64 + t];
        __syncthreads();
        sum += now[63 - t];
    }
    y[t] = sum;
}
