// The greatest is found by a loop of compare-and-swap, which begins with a plain read.
// launch: grid 2 block 32
// in a: i32 64 = (i * 37 + 11) % 64
// inout most: i32 1 = 0
// expect most = 63
extern "C" __global__ void greatest(const int *a, int *most) {
    int value = a[blockIdx.x * blockDim.x + threadIdx.x];
    int old = *most, assumed;
    do {
        assumed = old;
        old = atomicCAS(most, assumed, value > assumed ? value : assumed);
    } while (assumed != old);
}
