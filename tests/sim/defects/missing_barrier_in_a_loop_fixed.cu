// Everybody has read the tile before it is written again.
// launch: grid 1 block 64
// arg n: i32 = 4
// in a: i32 256 = i
// out y: i32 64
// expect y[i] = 4 * ((i + 33) % 64) + 384
extern "C" __global__ void tiles(int n, const int *a, int *y) {
    __shared__ int tile[64];
    int t = threadIdx.x, sum = 0;
    for (int k = 0; k < n; k++) {
        tile[t] = a[k * 64 + t];
        __syncthreads();
        sum += tile[(t + 33) % 64];
        __syncthreads();
    }
    y[t] = sum;
}
