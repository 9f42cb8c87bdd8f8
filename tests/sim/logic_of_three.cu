// lop3 with several tables, by inline PTX and by expressions the compiler fuses.
// launch: grid 1 block 32
// in a: u32 32 = u32(i * 0x9e3779b9 + 1)
// out y: u32 96
// expect y[i] = i % 3 == 0 ? u32((a[i/3] & ~(a[i/3] >> 3)) | (0xf0f0f0f0 & ~a[i/3])) : i % 3 == 1 ? u32((a[i/3] & 0x33333333) | (a[i/3] & 0x55555555) | (0x33333333 & 0x55555555)) : u32(a[i/3] ^ 0x33333333 ^ 0x55555555)
extern "C" __global__ void logic(const unsigned *a, unsigned *y) {
    int i = threadIdx.x;
    unsigned word = a[i], majority, parity;
    asm("lop3.b32 %0, %1, %2, %3, 0xe8;" : "=r"(majority) : "r"(word), "r"(0x33333333), "r"(0x55555555));
    asm("lop3.b32 %0, %1, %2, %3, 0x96;" : "=r"(parity) : "r"(word), "r"(0x33333333), "r"(0x55555555));
    y[3 * i] = (word & ~(word >> 3)) | (0xf0f0f0f0 & ~word);
    y[3 * i + 1] = majority;
    y[3 * i + 2] = parity;
}
