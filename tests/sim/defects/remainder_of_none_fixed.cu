// launch: grid 1 block 8
// in a: u32 8 = i + 10
// in n: u32 8 = 8 - i
// out b: u32 8
// expect b = 2 4 0 3 2 0 0 0
extern "C" __global__ void remainder_of_none_fixed(const unsigned *a, const unsigned *n, unsigned *b) {
    int i = threadIdx.x;
    b[i] = a[i] % n[i];
}
