// launch: grid 1 block 8
// in a: u32 8 = i + 10
// in n: u32 8 = 7 - i
// out b: u32 8
// expect b = 3 5 2 1 2 1 0 4294967295
// finding: N004
extern "C" __global__ void remainder_of_none(const unsigned *a, const unsigned *n, unsigned *b) {
    int i = threadIdx.x;
    b[i] = a[i] % n[i]; //~ N004
}
