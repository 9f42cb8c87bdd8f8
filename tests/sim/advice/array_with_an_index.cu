// The compiler doesn't know which element of the array is meant: it lies in memory.
//
// launch: grid 2 block 64
// in which: i32 128 = i % 8
// out b: i32 128
// expect b[i] = i % 8 * (i % 8)
// advice: P008
extern "C" __global__ void array_with_an_index(const int *which, int *b) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int squares[8];
    for (int k = 0; k < 8; k++)
        squares[(k + which[0]) % 8] = k * k;
    b[i] = squares[which[i]]; //~ P008
}
