// The memory is filled before it is doubled.
// launch: grid 1 block 32
// inout y: i32 32 = i
// expect y[i] = 2 * i
extern "C" __global__ void twice(int *y) {
    y[threadIdx.x] *= 2;
}
