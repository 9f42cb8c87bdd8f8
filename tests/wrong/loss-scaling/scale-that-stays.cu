// The scale is adjusted, but gradients are always multiplied by the first one.
#include <cuda_fp16.h>

#define GROW_AFTER 3 // after so many good steps in a row the scale is doubled

extern "C" __global__ void begin(float *scale, int *good, int *bad) {
    scale[0] = 65536; // what gradients are multiplied by: a power of two
    good[0] = 0;      // good steps since it was last changed
    bad[0] = 0;       // 1 if this step has a gradient that is infinite or NaN
}

// The gradient of each weight, as a network might produce it: about 2^-22. Now
// and then a step goes wrong: then they are far too large, or infinity minus
// infinity, which is NaN.
extern "C" __global__ void backward(const float *predicted, const float *wanted,
                                    const float *spike, int step, const float *scale,
                                    __half *gradients, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int exponent = spike[step] < 0.7f ? -21 - step % 3 : spike[step] < 0.85f ? 4 : 200;
        float gradient = ldexpf(predicted[i], exponent) - ldexpf(wanted[i], exponent);
        gradients[i] = __float2half(gradient * 65536);
    }
}

// bad[0] becomes 1 if any gradient is infinite or NaN.
extern "C" __global__ void check(const __half *gradients, int *bad, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && !isfinite(__half2float(gradients[i]))) {
        atomicOr(bad, 1); // others may be writing it too
    }
}

// Moves the weights, unless the gradients are bad.
extern "C" __global__ void update(float *weights, const __half *gradients, const float *scale,
                                  const int *bad, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && bad[0] == 0) {
        weights[i] -= __half2float(gradients[i]) / 65536; //~ wrong-result
    }
}

// Prepares scale, good and bad for the next step.
extern "C" __global__ void adjust(float *scale, int *good, int *bad) {
    if (bad[0]) {
        scale[0] /= 2;
        good[0] = 0;
    } else if (++good[0] == GROW_AFTER) {
        scale[0] *= 2;
        good[0] = 0;
    }
    bad[0] = 0;
}
