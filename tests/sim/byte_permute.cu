// __byte_perm with selectors that pick from both words, and the funnel shifts.
// launch: grid 1 block 16
// in a: u32 16 = 0x03020100 + i * 0x01010101
// out y: u32 96
// expect y[i] = i % 6 == 0 ? u32((a[i/6] >> 24) | ((a[i/6] >> 8) & 0xff00) | ((a[i/6] << 8) & 0xff0000) | (a[i/6] << 24)) : i % 6 == 1 ? u32((a[i/6] & 0xff) | 0xddccbb00) : i % 6 == 2 ? u32(shr(a[i/6] << 32 | 0xdeadbeef, 32 - i/6)) : i % 6 == 3 ? u32(shr(a[i/6] << 32 | 0xdeadbeef, i/6)) : i % 6 == 4 ? u32(shr(a[i/6] << 32 | 0xdeadbeef, 0)) : u32(shr(a[i/6] << 32 | 0xdeadbeef, 32))
extern "C" __global__ void permute(const unsigned *a, unsigned *y) {
    unsigned i = threadIdx.x;
    unsigned *out = y + 6 * i;
    out[0] = __byte_perm(a[i], 0, 0x0123);
    out[1] = __byte_perm(a[i], 0xddccbbaa, 0x7650);
    out[2] = __funnelshift_l(0xdeadbeef, a[i], i);
    out[3] = __funnelshift_r(0xdeadbeef, a[i], i);
    out[4] = __funnelshift_r(0xdeadbeef, a[i], 64);
    out[5] = __funnelshift_rc(0xdeadbeef, a[i], 40);
}
