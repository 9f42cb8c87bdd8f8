// A thread writes next to what it reads by __ldg().
// launch: grid 2 block 32
// inout x: i32 128 = i
// expect x[i] = i - i % 2
extern "C" __global__ void copy(int *x) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    x[2 * i + 1] = __ldg(&x[2 * i]);
}
