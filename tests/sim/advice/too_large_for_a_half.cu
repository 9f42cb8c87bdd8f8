// 65504 is the largest half.
//
// launch: grid 1 block 8
// in a: f32 8 = i * 20000
// out b: u16 8
// expect b = 0 29922 30946 31571 31744 31744 31744 31744
// advice: N005
#include <cuda_fp16.h>
extern "C" __global__ void too_large_for_a_half(const float *a, __half *b) {
    b[threadIdx.x] = __float2half(a[threadIdx.x]); //~ N005
}
