// Every index is known: the array is in registers.
//
// launch: grid 2 block 64
// in which: i32 128 = i % 8
// out b: i32 128
// expect b[i] = i % 8 * (i % 8)
// advice:
extern "C" __global__ void array_with_an_index_fixed(const int *which, int *b) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int squares[8], chosen = 0;
#pragma unroll
    for (int k = 0; k < 8; k++)
        squares[k] = k * k;
#pragma unroll
    for (int k = 0; k < 8; k++)
        chosen = which[i] == k ? squares[k] : chosen;
    b[i] = chosen;
}
