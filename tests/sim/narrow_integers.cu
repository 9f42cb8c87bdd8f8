// 8- and 16-bit integers: wrap-around, sign extension, saturation by hand.
// launch: grid 1 block 256
// in a: u8 256 = i
// in b: i16 256 = i * 257 - 32768
// out y: i32 1024
// expect y[i] = i % 4 == 0 ? i8(u8(a[i/4] * 3)) : i % 4 == 1 ? u8(~a[i/4]) : i % 4 == 2 ? i16(b[i/4] * 5) : min(max(b[i/4] * 2, -32768), 32767)
extern "C" __global__ void narrow(const unsigned char *a, const short *b, int *y) {
    int i = threadIdx.x;
    unsigned char tripled = a[i] * 3;
    short times_five = (short)(b[i] * 5);
    y[4 * i] = (signed char)tripled;
    y[4 * i + 1] = (unsigned char)~a[i];
    y[4 * i + 2] = times_five;
    y[4 * i + 3] = min(max(b[i] * 2, -32768), 32767);
}
