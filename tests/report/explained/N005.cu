// launch: grid 1 block 8
// in a: f32 8 = i * 1e9
// out b: i32 8
// out c: f16 8
// finding: N005
#include <cuda_fp16.h>
extern "C" __global__ void narrowed(const float *a, int *b, __half *c) {
    float x = a[threadIdx.x];
#ifdef FIXED
    x = fminf(x, 65504);
#endif
    int n = (int)x;
    __half h = __float2half(x);
    b[threadIdx.x] = n;
    c[threadIdx.x] = h;
}
