// Bad are all whose exponent has only ones; the scale moves by ldexpf.
#include <cuda_fp16.h>

#define GROW_AFTER 3 // good steps in a row, and the scale is doubled

extern "C" __global__ void begin(float *scale, int *good, int *bad) {
    scale[0] = 65536; // what gradients are multiplied by: a power of two
    good[0] = 0;      // good steps since it was last changed
    bad[0] = 0;       // 1 if this step has a gradient that is infinite or NaN
}

extern "C" __global__ void backward(const float *predicted, const float *wanted,
                                    const float *spike, int step, const float *scale,
                                    __half *gradients, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int exponent = spike[step] < 0.7f ? -21 - step % 3 : spike[step] < 0.85f ? 4 : 200;
        float gradient = ldexpf(predicted[i], exponent) - ldexpf(wanted[i], exponent);
        gradients[i] = __float2half(gradient * scale[0]);
    }
}

extern "C" __global__ void check(const __half *gradients, int *bad, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && (__half_as_ushort(gradients[i]) & 0x7c00) == 0x7c00) {
        atomicOr(bad, 1); // others may be writing it too
    }
}

extern "C" __global__ void update(float *weights, const __half *gradients, const float *scale,
                                  const int *bad, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (*bad || i >= n) {
        return;
    }
    float inverse = 1 / *scale;
    weights[i] = fmaf(-inverse, __half2float(gradients[i]), weights[i]);
}

extern "C" __global__ void adjust(float *scale, int *good, int *bad) {
    int steps = bad[0] ? 0 : good[0] + 1;
    int change = bad[0] ? -1 : steps == GROW_AFTER ? 1 : 0;
    *scale = ldexpf(*scale, change);
    *good = change == 0 ? steps : 0;
    *bad = 0;
}
