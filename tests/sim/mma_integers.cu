// mma on bytes, nibbles and bits by inline PTX; factors that hold one value each.
// arch: 80
// launch: grid 1 block 32
// out y: i32 96
// expect y[i] = i % 3 == 0 ? 32 * 100 * -3 + 7 : i % 3 == 1 ? 64 * 15 * -8 : 256 / 2
extern "C" __global__ void integers(int *y) {
    int t = threadIdx.x, d[4], c = 7, zero = 0;
    unsigned bytes = 0x64646464, minus = 0xfdfdfdfd, nibbles = 0xffffffff, low = 0x88888888, odd = 0x55555555;
    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.u8.s8.s32 {%0, %1, %2, %3}, {%4, %4, %4, %4}, {%5, %5}, {%6, %6, %6, %6};"
                 : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3]) : "r"(bytes), "r"(minus), "r"(c));
    y[3 * t] = d[t % 4];
    asm volatile("mma.sync.aligned.m16n8k64.row.col.s32.u4.s4.s32 {%0, %1, %2, %3}, {%4, %4, %4, %4}, {%5, %5}, {%6, %6, %6, %6};"
                 : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3]) : "r"(nibbles), "r"(low), "r"(zero));
    y[3 * t + 1] = d[t % 4];
    asm volatile("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc {%0, %1, %2, %3}, {%4, %4, %4, %4}, {%5, %5}, {%6, %6, %6, %6};"
                 : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3]) : "r"(nibbles), "r"(odd), "r"(zero));
    y[3 * t + 2] = d[t % 4];
}
