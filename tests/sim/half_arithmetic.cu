// f16 arithmetic, scalar and in pairs, with conversions and comparisons.
// launch: grid 1 block 64
// in a: f16 64 = (i - 30) * 0.25
// in b: f16 64 = i * 0.5 + 0.125
// out y: f16 320
// out z: i32 64
// expect y[i] = i % 5 == 0 ? f16(a[i/5] + b[i/5]) : i % 5 == 1 ? f16(a[i/5] * b[i/5]) : i % 5 == 2 ? f16(fma(a[i/5], b[i/5], 1)) : i % 5 == 3 ? f16(f16(a[i/5] + 1) * 2) : f16(f32(a[i/5] * f32(0.1)))
// expect z[i] = (a[i] < b[i]) * 4 + (f16(a[i] + a[i]) == f16(a[i] * 2)) * 2 + (max(a[i], b[i]) == b[i])
#include <cuda_fp16.h>
extern "C" __global__ void halves(const __half *a, const __half *b, __half *y, int *z) {
    int i = threadIdx.x;
    __half *out = y + 5 * i;
    out[0] = __hadd(a[i], b[i]);
    out[1] = a[i] * b[i];
    out[2] = __hfma(a[i], b[i], __float2half(1.0f));
    __half2 pair = __halves2half2(a[i], b[i]);
    pair = __hmul2(__hadd2(pair, __float2half2_rn(1.0f)), __float2half2_rn(2.0f));
    out[3] = __low2half(pair);
    out[4] = __float2half(__half2float(a[i]) * 0.1f);
    z[i] = __hlt(a[i], b[i]) * 4 + (a[i] + a[i] == a[i] * __half(2.0f)) * 2 + (__hmax(a[i], b[i]) == b[i]);
}
