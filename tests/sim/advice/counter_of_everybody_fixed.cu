// Each warp adds up its own part first.
//
// launch: grid 4 block 64
// in a: i32 256 = i
// inout count: i32 1 = 0
// expect count = 32640
// advice:
extern "C" __global__ void counter_of_everybody_fixed(const int *a, int *count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = a[i];
    for (int step = 16; step > 0; step /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, step);
    if (threadIdx.x % 32 == 0)
        atomicAdd(count, sum);
}
