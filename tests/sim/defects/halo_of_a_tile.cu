// The threads at the edge load the halo after the barrier.
// launch: grid 2 block 32
// in a: i32 66 = i
// out y: i32 64
// finding: R001
extern "C" __global__ void stencil(const int *a, int *y) {
    __shared__ int tile[34];
    int t = threadIdx.x, i = blockIdx.x * 32 + t;
    tile[t + 1] = a[i + 1];
    __syncthreads();
    if (t < 2) {
        tile[t * 33] = a[blockIdx.x * 32 + t * 33]; //~ R001
    }
    y[i] = tile[t] + tile[t + 1] + tile[t + 2]; //~ R001
}
