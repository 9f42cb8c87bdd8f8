// Two sources go to one place: which value stays is open.
// launch: grid 2 block 32
// in to: i32 64 = i / 2
// in a: i32 64 = i
// inout y: i32 64 = 0
// finding: R002
extern "C" __global__ void scatter(const int *to, const int *a, int *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[to[i]] = a[i]; //~ R002
}
