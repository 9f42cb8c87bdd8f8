// set and setp joined with a predicate, with two predicates, and of pairs of halves.
// launch: grid 1 block 32
// in a: f32 32 = i % 7 - 3
// out y: u32 192
// expect y[i] = i % 6 == 0 ? (a[i/6] < 1 && i/6 % 2 == 0 ? 4294967295 : 0) : i % 6 == 1 ? (a[i/6] >= 0 || i/6 % 2 == 1 ? 1065353216 : 0) : i % 6 == 2 ? (a[i/6] < 0 ? 1 : 2) : i % 6 == 3 ? (a[i/6] < 0 && i/6 % 2 == 0 ? 1 : 0) + (a[i/6] >= 0 && i/6 % 2 == 0 ? 2 : 0) : i % 6 == 4 ? (a[i/6] > 1 ? 65535 : 0) + (a[i/6] < 0 ? 4294901760 : 0) : (a[i/6] > 1 ? 1 : 0) + (a[i/6] < 0 ? 2 : 0)
#include <cuda_fp16.h>
extern "C" __global__ void forms(const float *a, unsigned *y) {
    int i = threadIdx.x;
    unsigned odd = i % 2, *out = y + 6 * i;
    asm("{ .reg .pred o; setp.ne.u32 o, %2, 0; set.lt.and.u32.f32 %0, %1, 0f3f800000, !o; }"
        : "=r"(out[0]) : "f"(a[i]), "r"(odd));
    asm("{ .reg .pred o; setp.ne.u32 o, %2, 0; set.ge.or.f32.f32 %0, %1, 0f00000000, o; }"
        : "=r"(out[1]) : "f"(a[i]), "r"(odd));
    asm("{ .reg .pred p, q; setp.lt.f32 p|q, %1, 0f00000000; selp.u32 %0, 1, 0, p; @q mov.u32 %0, 2; }"
        : "=r"(out[2]) : "f"(a[i]));
    asm("{ .reg .pred o, p, q; .reg .u32 t, u; setp.eq.u32 o, %2, 0;"
        "  setp.lt.and.f32 p|q, %1, 0f00000000, o; selp.u32 t, 1, 0, p; selp.u32 u, 2, 0, q; add.u32 %0, t, u; }"
        : "=r"(out[3]) : "f"(a[i]), "r"(odd));
    // The lower half holds a, the upper its negative.
    __half2 pair = __floats2half2_rn(a[i], -a[i]), bounds = __floats2half2_rn(1, 0);
    unsigned bits = *(unsigned *)&pair, limits = *(unsigned *)&bounds;
    asm("set.gt.u32.f16x2 %0, %1, %2;" : "=r"(out[4]) : "r"(bits), "r"(limits));
    asm("{ .reg .pred p, q; .reg .u32 t, u; setp.gt.f16x2 p|q, %1, %2;"
        "  selp.u32 t, 1, 0, p; selp.u32 u, 2, 0, q; add.u32 %0, t, u; }"
        : "=r"(out[5]) : "r"(bits), "r"(limits));
}
