// A barrier of the block orders what the block itself wrote.
// launch: grid 2 block 32
// inout x: i32 64 = 0
// out y: i32 64
// expect y[i] = i / 32 * 32 + 31 - i % 32
extern "C" __global__ void phases(int *x, int *y) {
    int first = blockIdx.x * 32, t = threadIdx.x;
    x[first + t] = first + t;
    __syncthreads();
    y[first + t] = x[first + 31 - t];
}
