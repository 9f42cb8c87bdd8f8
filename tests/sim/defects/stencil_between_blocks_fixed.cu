// Reads and writes are of different buffers, so the edges of a block do not matter.
// launch: grid 3 block 32
// arg n: i32 = 96
// inout x: i32 96 = i
// out y: i32 96
// expect y[i] = i == 0 ? 0 : i == 95 ? 0 : 3 * i
extern "C" __global__ void stencil(int n, int *x, int *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int left = i > 0 ? x[i - 1] : 0;
    int right = i < n - 1 ? x[i + 1] : 0;
    int sum = i > 0 && i < n - 1 ? left + x[i] + right : 0;
    __syncthreads();
    y[i] = sum;
}
