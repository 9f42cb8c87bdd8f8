// bf16-vs-f16: answer before anything runs.
//
// The answers, and how to find them.

// Of the 81 powers of two from 2^-40 to 2^40, how many come back from a __half
// unchanged?
// From 2^-14 to 2^15 with a leading 1, and ten subnormal ones, 2^-24 to 2^-15:
// the one bit can be in any of the ten places of the fraction.
// answer half_powers = 40

// And how many of them come back from a __nv_bfloat16 unchanged?
// Eight bits of exponent, as in a float: 2^-126 to 2^127 with a leading 1.
// answer bf16_powers = 81

// Of the whole numbers 1, 2, 3 … 4096, how many come back from a __half
// unchanged?
// All of 1 … 2048, and every second one of 2049 … 4096.
// answer half_wholes = 3072

// How many times as large as that of __half is the largest relative error of
// bfloat16 among 1 … 4096? Within a twentieth is close enough.
// Three bits fewer: the step is 2 · 2 · 2 times as wide. (Measured: 1 in 257 over
// 1 in 2049, where the two are worst.)
// answer worse = 8

// Modelled on a T4: how long does `bf16_crunch` take, compared with `float_crunch`?
//   a   about half as long: it has half the bits
//   b   about as long: it makes the same multiply-adds
//   c   more than twice as long
// Before each multiply-add three numbers are converted to float, and after it one is
// rounded to bfloat16, which takes several instructions here: ten in all, for one.
// answer sooner = c

#include <cuda_bf16.h>
#include <cuda_fp16.h>

// What is left of x when it has been stored in a T.
template <class T> __device__ float through(float x) {
    return (float)(T)x;
}

// Thread i takes 2 to the power of i - 40, and makes a mark if it comes back
// unchanged.
template <class T> __device__ void powers(char *marks, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = exp2f(i - 40);
    if (i < n && through<T>(x) == x) {
        marks[i] = 1;
    }
}

// Thread i takes i + 1, and makes a mark if it comes back unchanged.
template <class T> __device__ void wholes(char *marks, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = i + 1;
    if (i < n && through<T>(x) == x) {
        marks[i] = 1;
    }
}

// One thread takes 1, 2, 3 … n, and makes a mark for each millionth of the largest
// relative error.
template <class T> __device__ void worst(char *marks, int n) {
    float error = 0;
    for (int i = 1; i <= n; i++) {
        float x = i;
        error = fmaxf(error, fabsf(through<T>(x) - x) / x);
    }
    int millionths = rintf(error * 1e6f);
    for (int k = 0; k < millionths; k++) {
        marks[k] = 1;
    }
}

// fmaf: a × b + c, rounded once.
__device__ float multiply_add(float a, float b, float c) {
    return fmaf(a, b, c);
}

// A T4 has no instruction for this. So: to float, multiply and add, and back.
__device__ __nv_bfloat16 multiply_add(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) {
    return (__nv_bfloat16)fmaf((float)a, (float)b, (float)c);
}

// Each thread makes 64 multiply-adds, in registers only.
template <class T> __device__ void crunch(float *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    T x[4] = {T(0.0f), T(1.0f), T(2.0f), T(3.0f)};
    T half = T(i % 2 * 0.5f), one = T(1.0f);
    for (int k = 0; k < 16; k++) {
        for (int j = 0; j < 4; j++) {
            x[j] = multiply_add(x[j], half, one);
        }
    }
    out[i] = (float)x[0] + (float)x[1] + (float)x[2] + (float)x[3];
}

extern "C" __global__ void half_powers(char *marks, int n) { powers<__half>(marks, n); }
extern "C" __global__ void bf16_powers(char *marks, int n) { powers<__nv_bfloat16>(marks, n); }
extern "C" __global__ void half_wholes(char *marks, int n) { wholes<__half>(marks, n); }
extern "C" __global__ void bf16_wholes(char *marks, int n) { wholes<__nv_bfloat16>(marks, n); }
extern "C" __global__ void half_worst(char *marks, int n) { worst<__half>(marks, n); }
extern "C" __global__ void bf16_worst(char *marks, int n) { worst<__nv_bfloat16>(marks, n); }
extern "C" __global__ void float_crunch(float *out) { crunch<float>(out); }
extern "C" __global__ void bf16_crunch(float *out) { crunch<__nv_bfloat16>(out); }
