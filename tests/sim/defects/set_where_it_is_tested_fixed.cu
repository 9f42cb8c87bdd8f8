// A value that all threads get.
// launch: grid 2 block 64
// in x: i32 64 = i
// out y: i32 128
// expect y[i] = i % 64 % 2 == 0 ? i % 64 / 2 : -1
extern "C" __global__ void places(const int *x, int *y) {
    int place = -1;
    int value = x[threadIdx.x];
    if (value % 2 == 0) place = value / 2;
    __syncthreads();
    y[blockIdx.x * blockDim.x + threadIdx.x] = place;
}
