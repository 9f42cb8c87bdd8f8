// A shuffle in a loop that some lanes leave earlier.
// launch: grid 1 block 32
// in n: i32 32 = 2 + i % 2
// out y: i32 32
// finding: B003
extern "C" __global__ void rounds(const int *n, int *y) {
    int t = threadIdx.x, v = t, rounds = n[t];
    for (int k = 0; k < rounds; k++)
        v = __shfl_xor_sync(0xffffffff, v, 1); //~ B003
    y[t] = v;
}
