// Each thread writes its element and the next one, which has an owner of its own.
// launch: grid 2 block 32
// inout y: i32 129 = 0
// finding: R002
extern "C" __global__ void write(int *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int at = i;
    y[at] = i; //~ R002
    y[at + 1] = -i; //~ R002
}
