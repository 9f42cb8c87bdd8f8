// The greatest is compared and stored through a volatile pointer: of two that come at once, the lesser
// may stay.
// launch: grid 2 block 32
// in a: i32 64 = (i * 37 + 11) % 64
// inout most: i32 1 = 0
// finding: R002
extern "C" __global__ void greatest(const int *a, volatile int *most) {
    int value = a[blockIdx.x * blockDim.x + threadIdx.x];
    if (*most < value)
        *most = value; //~ R002
}
