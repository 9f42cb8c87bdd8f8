// The loop around a compare-and-swap begins with a guess, also where its address is one behind another.
// launch: grid 4 block 64
// inout y: f32 2 = 0
// expect y = 0 255
extern "C" __global__ void greatest(float *y) {
    float mine = blockIdx.x * blockDim.x + threadIdx.x;
    int *to = (int *)(y + 1), old = *to, seen;
    do {
        seen = old;
        old = atomicCAS(to, seen, __float_as_int(fmaxf(mine, __int_as_float(seen))));
    } while (old != seen);
}
