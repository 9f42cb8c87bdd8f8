// launch: grid 1 block 8
// in a: f32 8 = i * 20000
// out b: f16 8
// expect b[i] = i * 200
// advice:
#include <cuda_fp16.h>
extern "C" __global__ void too_large_for_a_half_fixed(const float *a, __half *b) {
    b[threadIdx.x] = __float2half(a[threadIdx.x] * 0.01f);
}
