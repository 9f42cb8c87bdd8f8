// The greatest is compared and stored in one step; looking first saves most of those steps.
// launch: grid 2 block 32
// in a: i32 64 = (i * 37 + 11) % 64
// inout most: i32 1 = 0
// expect most = 63
extern "C" __global__ void greatest(const int *a, int *most) {
    int value = a[blockIdx.x * blockDim.x + threadIdx.x];
    if (*(volatile int *)most < value)
        atomicMax(most, value);
}
