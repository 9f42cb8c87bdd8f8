// f16 square root, exponential, logarithm and sine.
// launch: grid 1 block 32
// in a: f16 32 = i * 0.25 + 0.25
// out y: f32 160
// expect y[i] = i % 5 == 0 ? sqrt(a[i/5]) : i % 5 == 1 ? exp(a[i/5] * -0.5) : i % 5 == 2 ? log(a[i/5]) : i % 5 == 3 ? sin(a[i/5]) : 1 / a[i/5] ~ 1e-3
#include <cuda_fp16.h>
extern "C" __global__ void functions(const __half *a, float *y) {
    int i = threadIdx.x;
    float *out = y + 5 * i;
    out[0] = __half2float(hsqrt(a[i]));
    out[1] = __half2float(hexp(a[i] * __half(-0.5f)));
    out[2] = __half2float(hlog(a[i]));
    out[3] = __half2float(hsin(a[i]));
    out[4] = __half2float(hrcp(a[i]));
}
