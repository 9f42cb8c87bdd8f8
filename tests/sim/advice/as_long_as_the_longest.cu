// Each lane has a loop of its own length, and the warp goes on until the longest ends.
//
// launch: grid 2 block 64
// in lengths: i32 128 = (i % 32) * 8
// out b: i32 128
// expect b[i] = (i % 32) * 24
// advice: P003
extern "C" __global__ void as_long_as_the_longest(const int *lengths, int *b) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = 0;
    for (volatile int k = 0; k < lengths[i]; k = k + 1) //~ P003
        sum += 3;
    b[i] = sum;
}
