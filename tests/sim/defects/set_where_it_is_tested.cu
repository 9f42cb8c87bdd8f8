// A value that only some threads get, and a loop that all go through.
// launch: grid 2 block 64
// in x: i32 64 = i
// out y: i32 128
// finding: I002
extern "C" __global__ void places(const int *x, int *y) {
    int place;
    int value = x[threadIdx.x];
    if (value % 2 == 0) place = value / 2;
    __syncthreads();
    y[blockIdx.x * blockDim.x + threadIdx.x] = place; //~ I002
}
