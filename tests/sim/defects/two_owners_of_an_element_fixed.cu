// Each thread writes two elements of its own.
// launch: grid 2 block 32
// inout y: i32 129 = 0
// expect y[i] = i == 128 ? 0 : i % 2 == 0 ? i / 2 : -(i / 2)
extern "C" __global__ void write(int *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int at = 2 * i;
    y[at] = i;
    y[at + 1] = -i;
}
