// The functions of mathematics of host code: this machine's own, as a host compiler would call them. The
// compiler's, which these take the place of, are a GPU's: (int)log2(8.0) is 2 with them.
#pragma once

#define __GPULEARN_ONE(name)                                                                \
    extern "C" float __gpulearn_host_##name##f(float);                                      \
    extern "C" double __gpulearn_host_##name(double);                                       \
    extern "C" inline float name##f(float x) { return __gpulearn_host_##name##f(x); }       \
    extern "C" inline double name(double x) { return __gpulearn_host_##name(x); }           \
    inline float name(float x) { return __gpulearn_host_##name##f(x); }
__GPULEARN_ONE(acos) __GPULEARN_ONE(acosh) __GPULEARN_ONE(asin) __GPULEARN_ONE(asinh) __GPULEARN_ONE(atan) __GPULEARN_ONE(atanh)
__GPULEARN_ONE(cbrt) __GPULEARN_ONE(cos) __GPULEARN_ONE(cosh) __GPULEARN_ONE(erf) __GPULEARN_ONE(erfc) __GPULEARN_ONE(exp)
__GPULEARN_ONE(exp2) __GPULEARN_ONE(expm1) __GPULEARN_ONE(log) __GPULEARN_ONE(log10) __GPULEARN_ONE(log1p) __GPULEARN_ONE(log2)
__GPULEARN_ONE(sin) __GPULEARN_ONE(sinh) __GPULEARN_ONE(tan) __GPULEARN_ONE(tanh) __GPULEARN_ONE(tgamma)
#undef __GPULEARN_ONE
#define __GPULEARN_TWO(name)                                                                \
    extern "C" float __gpulearn_host_##name##f(float, float);                               \
    extern "C" double __gpulearn_host_##name(double, double);                               \
    extern "C" inline float name##f(float a, float b) { return __gpulearn_host_##name##f(a, b); } \
    extern "C" inline double name(double a, double b) { return __gpulearn_host_##name(a, b); } \
    inline float name(float a, float b) { return __gpulearn_host_##name##f(a, b); }
__GPULEARN_TWO(atan2) __GPULEARN_TWO(hypot) __GPULEARN_TWO(pow)
#undef __GPULEARN_TWO
extern "C" inline void sincosf(float x, float *s, float *c) { *s = sinf(x), *c = cosf(x); }
extern "C" inline void sincos(double x, double *s, double *c) { *s = sin(x), *c = cos(x); }
