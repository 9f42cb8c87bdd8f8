// The functions of mathematics for long double, which the compiler has as a double of another name.
#pragma once

#define __GPULEARN_ONE(name)                                             \
    inline long double name##l(long double x) { return name(double(x)); } \
    inline long double name(long double x) { return name(double(x)); }
__GPULEARN_ONE(acos) __GPULEARN_ONE(acosh) __GPULEARN_ONE(asin) __GPULEARN_ONE(asinh) __GPULEARN_ONE(atan) __GPULEARN_ONE(atanh)
__GPULEARN_ONE(cbrt) __GPULEARN_ONE(ceil) __GPULEARN_ONE(cos) __GPULEARN_ONE(cosh) __GPULEARN_ONE(erf) __GPULEARN_ONE(erfc)
__GPULEARN_ONE(exp) __GPULEARN_ONE(exp2) __GPULEARN_ONE(expm1) __GPULEARN_ONE(fabs) __GPULEARN_ONE(floor) __GPULEARN_ONE(lgamma)
__GPULEARN_ONE(log) __GPULEARN_ONE(log10) __GPULEARN_ONE(log1p) __GPULEARN_ONE(log2) __GPULEARN_ONE(logb) __GPULEARN_ONE(nearbyint)
__GPULEARN_ONE(rint) __GPULEARN_ONE(round) __GPULEARN_ONE(sin) __GPULEARN_ONE(sinh) __GPULEARN_ONE(sqrt) __GPULEARN_ONE(tan)
__GPULEARN_ONE(tanh) __GPULEARN_ONE(tgamma) __GPULEARN_ONE(trunc)
#undef __GPULEARN_ONE
#define __GPULEARN_TWO(name)                                                                         \
    inline long double name##l(long double a, long double b) { return name(double(a), double(b)); } \
    inline long double name(long double a, long double b) { return name(double(a), double(b)); }
__GPULEARN_TWO(atan2) __GPULEARN_TWO(copysign) __GPULEARN_TWO(fdim) __GPULEARN_TWO(fmax) __GPULEARN_TWO(fmin) __GPULEARN_TWO(fmod)
__GPULEARN_TWO(hypot) __GPULEARN_TWO(nextafter) __GPULEARN_TWO(pow) __GPULEARN_TWO(remainder)
#undef __GPULEARN_TWO
#define __GPULEARN_WHOLE(type, name)                              \
    inline type name##l(long double x) { return name(double(x)); } \
    inline type name(long double x) { return name(double(x)); }
__GPULEARN_WHOLE(int, ilogb) __GPULEARN_WHOLE(long, lrint) __GPULEARN_WHOLE(long, lround)
__GPULEARN_WHOLE(long long, llrint) __GPULEARN_WHOLE(long long, llround)
#undef __GPULEARN_WHOLE
inline long double abs(long double x) { return fabs(double(x)); }
inline long double fmal(long double a, long double b, long double c) { return fma(double(a), double(b), double(c)); }
inline long double frexpl(long double x, int *exponent) { return frexp(double(x), exponent); }
inline long double ldexpl(long double x, int exponent) { return ldexp(double(x), exponent); }
inline long double scalbnl(long double x, int exponent) { return scalbn(double(x), exponent); }
inline long double modfl(long double x, long double *whole) {
    double part, rest = modf(double(x), &part);
    *whole = part;
    return rest;
}
inline long double fma(long double a, long double b, long double c) { return fmal(a, b, c); }
inline long double frexp(long double x, int *exponent) { return frexpl(x, exponent); }
inline long double ldexp(long double x, int exponent) { return ldexpl(x, exponent); }
inline long double scalbn(long double x, int exponent) { return scalbnl(x, exponent); }
inline long double modf(long double x, long double *whole) { return modfl(x, whole); }
