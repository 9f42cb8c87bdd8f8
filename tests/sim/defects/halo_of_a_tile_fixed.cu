// The threads at the edge load the halo before the barrier.
// launch: grid 2 block 32
// in a: i32 66 = i
// out y: i32 64
// expect y[i] = 3 * (i + 1)
extern "C" __global__ void stencil(const int *a, int *y) {
    __shared__ int tile[34];
    int t = threadIdx.x, i = blockIdx.x * 32 + t;
    tile[t + 1] = a[i + 1];
    if (t < 2) {
        tile[t * 33] = a[blockIdx.x * 32 + t * 33];
    }
    __syncthreads();
    y[i] = tile[t] + tile[t + 1] + tile[t + 2];
}
