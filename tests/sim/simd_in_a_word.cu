// Four bytes or two halfwords in one register: the __v intrinsics.
// launch: grid 1 block 32
// in a: u32 32 = u32(i * 0x0badcafe + 0x80ff7f00)
// in b: u32 32 = u32(i * 0x1337beef + 0x01017fff)
// out y: u32 192
// expect y[i] = i % 6 == 0 ? u32(sum(k, 0, 4, u8((a[i/6] >> 8*k) + (b[i/6] >> 8*k)) << 8*k)) : i % 6 == 1 ? u32(sum(k, 0, 4, max(u8(a[i/6] >> 8*k), u8(b[i/6] >> 8*k)) << 8*k)) : i % 6 == 2 ? u32(sum(k, 0, 2, u16(min(max(i16(a[i/6] >> 16*k) + i16(b[i/6] >> 16*k), -32768), 32767)) << 16*k)) : i % 6 == 3 ? u32(sum(k, 0, 4, (u8(a[i/6] >> 8*k) == u8(b[i/6] >> 8*k) ? 255 : 0) << 8*k)) : i % 6 == 4 ? sum(k, 0, 4, abs(u8(a[i/6] >> 8*k) - u8(b[i/6] >> 8*k))) : u32(sum(k, 0, 4, ((u8(a[i/6] >> 8*k) + u8(b[i/6] >> 8*k) + 1) >> 1) << 8*k))
extern "C" __global__ void packed(const unsigned *a, const unsigned *b, unsigned *y) {
    int i = threadIdx.x;
    unsigned *out = y + 6 * i;
    out[0] = __vadd4(a[i], b[i]);
    out[1] = __vmaxu4(a[i], b[i]);
    out[2] = __vaddss2(a[i], b[i]);
    out[3] = __vcmpeq4(a[i], b[i]);
    out[4] = __vsadu4(a[i], b[i]);
    out[5] = __vavgu4(a[i], b[i]);
}
