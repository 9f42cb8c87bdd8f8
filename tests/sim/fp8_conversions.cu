// Conversions between f32, f16 and the two 8-bit float formats.
// launch: grid 1 block 32
// arch: 90
// in a: f32 32 = (i - 10) * 1.3
// out y: f32 64
// expect y[i] = i % 2 == 0 ? e4m3(a[i/2]) : e5m2(a[i/2] * 4)
#include <cuda_fp8.h>
extern "C" __global__ void eight_bits(const float *a, float *y) {
    int i = threadIdx.x;
    y[2 * i] = (float)__nv_fp8_e4m3(a[i]);
    y[2 * i + 1] = (float)__nv_fp8_e5m2(a[i] * 4);
}
