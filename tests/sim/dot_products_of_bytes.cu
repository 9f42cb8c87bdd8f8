// dp4a and dp2a, signed and unsigned.
// launch: grid 1 block 32
// in a: i32 32 = i32(i * 0x01fe037f + 0x80ff7f01)
// in b: i32 32 = i32(0x7f80ff01 - i * 0x00030507)
// out y: i32 128
// expect y[i] = i % 4 == 0 ? 9 + sum(k, 0, 4, i8(a[i/4] >> 8 * k) * i8(b[i/4] >> 8 * k)) : i % 4 == 1 ? 9 + sum(k, 0, 4, u8(a[i/4] >> 8 * k) * u8(b[i/4] >> 8 * k)) : i % 4 == 2 ? 9 + sum(k, 0, 2, i16(a[i/4] >> 16 * k) * i8(b[i/4] >> 8 * k)) : 9 + sum(k, 0, 2, i16(a[i/4] >> 16 * k) * i8(b[i/4] >> 8 * k + 16))
extern "C" __global__ void dots(const int *a, const int *b, int *y) {
    int i = threadIdx.x;
    y[4 * i] = __dp4a(a[i], b[i], 9);
    y[4 * i + 1] = (int)__dp4a((unsigned)a[i], (unsigned)b[i], 9u);
    y[4 * i + 2] = __dp2a_lo(a[i], b[i], 9);
    y[4 * i + 3] = __dp2a_hi(a[i], b[i], 9);
}
