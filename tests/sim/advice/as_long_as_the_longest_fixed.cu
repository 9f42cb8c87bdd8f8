// Loops of one length stand together.
//
// launch: grid 2 block 64
// in lengths: i32 128 = (i - i % 32) * 2
// out b: i32 128
// expect b[i] = (i - i % 32) * 6
// advice:
extern "C" __global__ void as_long_as_the_longest_fixed(const int *lengths, int *b) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = 0;
    for (volatile int k = 0; k < lengths[i]; k = k + 1)
        sum += 3;
    b[i] = sum;
}
