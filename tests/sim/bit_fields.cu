// Bit fields of structures, extracted and inserted (bfe, bfi) also by inline PTX.
// launch: grid 1 block 32
// in a: u32 32 = u32(i * 0x9e3779b9)
// out y: i32 128
// expect y[i] = i % 4 == 0 ? (a[i/4] >> 5) & 0x7f : i % 4 == 1 ? i32(a[i/4] << 15) >> 22 : i % 4 == 2 ? i32((a[i/4] & ~(0x3f << 9)) | (0x2a << 9)) : i32((a[i/4] & ~0xfff0) | ((i/4) << 4))
struct Fields {
    unsigned low : 4;
    unsigned middle : 12;
    unsigned high : 16;
};
extern "C" __global__ void fields(const unsigned *a, int *y) {
    int i = threadIdx.x;
    unsigned word = a[i], taken, set;
    int taken_signed;
    asm("bfe.u32 %0, %1, 5, 7;" : "=r"(taken) : "r"(word));
    asm("bfe.s32 %0, %1, 7, 10;" : "=r"(taken_signed) : "r"(word));
    asm("bfi.b32 %0, %1, %2, 9, 6;" : "=r"(set) : "r"(0x2au), "r"(word));
    Fields fields;
    memcpy(&fields, &word, 4);
    fields.middle = i;
    memcpy(&word, &fields, 4);
    y[4 * i] = taken;
    y[4 * i + 1] = taken_signed;
    y[4 * i + 2] = set;
    y[4 * i + 3] = word;
}
