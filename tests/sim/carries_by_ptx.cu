// A 128-bit sum and difference of 32-bit words with carry flags, by inline PTX.
// launch: grid 1 block 32
// in a: u64 64 = i * 11400714819323198485 + 3
// in b: u64 64 = i * 14029467366897019727 + 9
// out y: u64 128
// expect y[i] = i % 4 == 0 ? a[i/4*2] + b[i/4*2] : i % 4 == 1 ? a[i/4*2 + 1] + b[i/4*2 + 1] + ult(a[i/4*2] + b[i/4*2], a[i/4*2]) : i % 4 == 2 ? a[i/4*2] - b[i/4*2] : a[i/4*2 + 1] - b[i/4*2 + 1] - ult(a[i/4*2], b[i/4*2])
extern "C" __global__ void carries(const unsigned *a, const unsigned *b, unsigned *y) {
    int i = threadIdx.x;
    const unsigned *p = a + 4 * i, *q = b + 4 * i;
    unsigned *out = y + 8 * i;
    asm("add.cc.u32 %0, %4, %8; addc.cc.u32 %1, %5, %9; addc.cc.u32 %2, %6, %10; addc.u32 %3, %7, %11;"
        : "=r"(out[0]), "=r"(out[1]), "=r"(out[2]), "=r"(out[3])
        : "r"(p[0]), "r"(p[1]), "r"(p[2]), "r"(p[3]), "r"(q[0]), "r"(q[1]), "r"(q[2]), "r"(q[3]));
    asm("sub.cc.u32 %0, %4, %8; subc.cc.u32 %1, %5, %9; subc.cc.u32 %2, %6, %10; subc.u32 %3, %7, %11;"
        : "=r"(out[4]), "=r"(out[5]), "=r"(out[6]), "=r"(out[7])
        : "r"(p[0]), "r"(p[1]), "r"(p[2]), "r"(p[3]), "r"(q[0]), "r"(q[1]), "r"(q[2]), "r"(q[3]));
}
