// Each thread writes what it alone has read by __ldg().
// launch: grid 2 block 64
// inout x: i32 128 = i
// expect x[i] = 2 * i
extern "C" __global__ void twice(int *x) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    x[i] = 2 * __ldg(&x[i]);
}
