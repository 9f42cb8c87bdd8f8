// Each block's part begins where the last one's ends.
// launch: grid 3 block 32
// arg part: i32 = 64
// inout y: i32 192 = 0
// expect y[i] = i / 64
extern "C" __global__ void fill(int part, int *y) {
    for (int k = threadIdx.x; k < 64; k += blockDim.x) {
        y[blockIdx.x * part + k] = blockIdx.x;
    }
}
