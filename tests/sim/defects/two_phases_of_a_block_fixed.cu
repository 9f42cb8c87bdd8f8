// A barrier stands between the phases.
// launch: grid 2 block 64
// inout x: i32 128 = 0
// out y: i32 128
// expect y[i] = i / 64 * 64 + 63 - i % 64
extern "C" __global__ void phases(int *x, int *y) {
    int first = blockIdx.x * 64, t = threadIdx.x;
    x[first + t] = first + t;
    __syncthreads();
    y[first + t] = x[first + 63 - t];
}
