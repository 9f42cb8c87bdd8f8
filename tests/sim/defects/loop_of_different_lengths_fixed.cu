// All lanes stay as long as the longest.
// launch: grid 1 block 32
// in n: i32 32 = 2 + i % 2
// out y: i32 32
// expect y[i] = i + 1 - i % 2 * 2
extern "C" __global__ void rounds(const int *n, int *y) {
    int t = threadIdx.x, v = t, rounds = n[t];
    for (int k = 0; __any_sync(0xffffffff, k < rounds); k++)
        v = __shfl_xor_sync(0xffffffff, v, 1);
    y[t] = v;
}
