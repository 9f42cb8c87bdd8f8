// All threads store the same value to one place: whoever comes last, it is that value.
// launch: grid 2 block 64
// out y: i32 2
// expect y[i] = i + 5
extern "C" __global__ void same(int *y) {
    y[blockIdx.x] = blockIdx.x + 5;
}
