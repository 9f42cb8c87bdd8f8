// bf16 arithmetic and conversions.
// arch: 80
// launch: grid 1 block 64
// in a: bf16 64 = (i - 30) * 0.25
// in b: bf16 64 = i * 0.5 + 0.125
// out y: bf16 256
// expect y[i] = i % 4 == 0 ? bf16(a[i/4] + b[i/4]) : i % 4 == 1 ? bf16(a[i/4] * b[i/4]) : i % 4 == 2 ? bf16(fma(a[i/4], b[i/4], 1)) : bf16(f32(b[i/4] * f32(3.3)))
#include <cuda_bf16.h>
extern "C" __global__ void bfloats(const __nv_bfloat16 *a, const __nv_bfloat16 *b, __nv_bfloat16 *y) {
    int i = threadIdx.x;
    __nv_bfloat16 *out = y + 4 * i;
    out[0] = __hadd(a[i], b[i]);
    out[1] = a[i] * b[i];
    __nv_bfloat162 pair = __hfma2(__halves2bfloat162(a[i], a[i]), __halves2bfloat162(b[i], b[i]), __float2bfloat162_rn(1.0f));
    out[2] = __high2bfloat16(pair);
    out[3] = __float2bfloat16(__bfloat162float(b[i]) * 3.3f);
}
