// 8 to 64 bits, signed and not; floats and doubles; conversions; division and remainder.
//> -7 2 -3 -1
//> 18446744073709551615 1 9223372036854775807
//> 200 -56 65535 -1
//> 0.333333 0.3333333333 2.25
//> 3 -3 4294967295 255
//> 1.414214 0.841471 1024.0
//> deadbeef cafe
__attribute__((noinline)) int zero() { return 0; }
int main() {
    int z = zero();
    int a = -7 + z, b = 3 + z;
    printf("%d %d %d %d\n", a, 2 + z, (a - 2) / b, a % b);
    unsigned long long big = ~0ull - z;
    long long top = (long long)(big >> 1);
    printf("%lu %lu %ld\n", big, big % 2, top);
    unsigned char u8 = 200 + z;
    signed char s8 = (signed char)u8;
    unsigned short u16 = (unsigned short)(z - 1);
    short s16 = (short)u16;
    printf("%d %d %d %d\n", u8, s8, u16, s16);
    float third = 1.0f / (3 + z);
    double precise = 1.0 / (3 + z);
    printf("%f %.10f %.2f\n", third, precise, fma(1.5, 1.5 + z, 0.0));
    printf("%d %d %u %u\n", (int)(3.9f + z), (int)(-3.9 + z), (unsigned)(z - 1), (unsigned char)(255 + z));
    printf("%f %f %.1f\n", sqrt(2.0 + z), sin(1.0 + z), pow(2.0, 10.0 + z));
    unsigned bits = 0xdead0000u + z;
    printf("%x %x\n", bits | 0xbeef, (0xcafe0000u + z) >> 16);
}
