// The first block takes what the one before it left: unsigned, minus one is a large number.
// launch: grid 4 block 32
// in offsets: i32 4 = i * 10
// out y: i32 128
// finding: M001
// note: The index is -1, wrapped round to 4294967295: it is unsigned, and unsigned numbers don't go below zero.
extern "C" __global__ void begin(const int *offsets, int *y) {
    y[blockIdx.x * blockDim.x + threadIdx.x] = offsets[blockIdx.x - 1]; //~ M001
}
