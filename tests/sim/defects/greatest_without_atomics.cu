// The greatest is found by comparing and storing, each thread for itself.
// launch: grid 2 block 32
// in a: i32 64 = (i * 37 + 11) % 64
// inout most: i32 1 = 0
// finding: R002
// finding: R002
extern "C" __global__ void greatest(const int *a, int *most) {
    int value = a[blockIdx.x * blockDim.x + threadIdx.x];
    if (value > *most) { //~ R002
        *most = value; //~ R002
    }
}
