// Each block's part begins before the last one's ends.
// launch: grid 3 block 32
// arg part: i32 = 60
// inout y: i32 192 = 0
// finding: R002
extern "C" __global__ void fill(int part, int *y) {
    for (int k = threadIdx.x; k < 64; k += blockDim.x) {
        y[blockIdx.x * part + k] = blockIdx.x; //~ R002
    }
}
