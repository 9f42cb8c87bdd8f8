// The functions are built into the compiler; these are the names that are not.
#pragma once
#ifdef __GPULEARN_HOST
#include <gpulearn/host_math.h>
#endif

// Constants, so that they initialise __constant__ and constexpr variables too.
#ifndef INFINITY
#define INFINITY (__builtin_bit_cast(float, 0x7f800000))
#endif
#ifndef NAN
#define NAN (__builtin_bit_cast(float, 0x7fffffff))
#endif
#define HUGE_VALF INFINITY
#define HUGE_VAL (__builtin_bit_cast(double, 0x7ff0000000000000LL))

#define M_E        2.7182818284590452354
#define M_LOG2E    1.4426950408889634074
#define M_LOG10E   0.43429448190325182765
#define M_LN2      0.69314718055994530942
#define M_LN10     2.30258509299404568402
#define M_PI       3.14159265358979323846
#define M_PI_2     1.57079632679489661923
#define M_PI_4     0.78539816339744830962
#define M_1_PI     0.31830988618379067154
#define M_2_PI     0.63661977236758134308
#define M_2_SQRTPI 1.12837916709551257390
#define M_SQRT2    1.41421356237309504880
#define M_SQRT1_2  0.70710678118654752440
inline int finite(double x) { return isfinite(x); }
inline int finitef(float x) { return isfinite(x); }
inline int isinff(float x) { return isinf(x) ? (x < 0 ? -1 : 1) : 0; }
inline int isnanf(float x) { return isnan(x); }
inline double drem(double a, double b) { return remainder(a, b); }
inline float dremf(float a, float b) { return remainderf(a, b); }
inline int __gpulearn_sign_of_gamma(double x) {
    return x < 0 ? (floor(x) != x && fmod(floor(x), 2.0) != 0 ? -1 : 1) : signbit(x) && x == 0 ? -1 : 1;
}
inline double lgamma_r(double x, int *sign) { return *sign = __gpulearn_sign_of_gamma(x), lgamma(x); }
inline float lgammaf_r(float x, int *sign) { return *sign = __gpulearn_sign_of_gamma(x), lgammaf(x); }
#include <gpulearn/long_double.h>
#include <gpulearn/mixed_math.h>
