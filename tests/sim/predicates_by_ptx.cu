// setp with a boolean operation and a second result, set, slct and selp, by inline PTX.
// launch: grid 1 block 32
// in a: i32 32 = i * 5 - 70
// out y: i32 128
// expect y[i] = i % 4 == 0 ? (a[i/4] < 10 && i/4 % 2 == 0 ? 1 : 0) + (!(a[i/4] < 10) && i/4 % 2 == 0 ? 2 : 0) : i % 4 == 1 ? (a[i/4] >= 20 ? -1 : 0) : i % 4 == 2 ? (a[i/4] >= 0 ? 7 : 9) : (a[i/4] == 0 || a[i/4] > 60 ? 3 : 4)
extern "C" __global__ void predicates(const int *a, int *y) {
    int i = threadIdx.x, both, mask, chosen, picked, even = i % 2 == 0;
    asm("{ .reg .pred p, q, r; setp.ne.s32 r, %2, 0;\n"
        "  setp.lt.and.s32 p|q, %1, 10, r;\n"
        "  selp.s32 %0, 1, 0, p; @q add.s32 %0, %0, 2; }"
        : "=r"(both) : "r"(a[i]), "r"(even));
    asm("set.ge.u32.s32 %0, %1, 20;" : "=r"(mask) : "r"(a[i]));
    asm("slct.s32.s32 %0, 7, 9, %1;" : "=r"(chosen) : "r"(a[i]));
    asm("{ .reg .pred p, q; setp.eq.s32 p, %1, 0; setp.gt.or.s32 q, %1, 60, p; selp.s32 %0, 3, 4, q; }"
        : "=r"(picked) : "r"(a[i]));
    y[4 * i] = both;
    y[4 * i + 1] = mask;
    y[4 * i + 2] = chosen;
    y[4 * i + 3] = picked;
}
