// The functions of mathematics of host code: this machine's own, as a host compiler would call them. The
// compiler's are a GPU's: (int)log2(8.0) is 2 with them.
#pragma once

#define __GPULEARN_ONE(name)                                                                           \
    extern "C" float __gpulearn_host_##name##f(float);                                                 \
    extern "C" double __gpulearn_host_##name(double);                                                  \
    inline float __gpulearn_host_##name(float x) { return __gpulearn_host_##name##f(x); }              \
    inline long double __gpulearn_host_##name(long double x) { return __gpulearn_host_##name((double)x); }
__GPULEARN_ONE(acos) __GPULEARN_ONE(asin) __GPULEARN_ONE(atan) __GPULEARN_ONE(cbrt) __GPULEARN_ONE(cos)
__GPULEARN_ONE(cosh) __GPULEARN_ONE(exp) __GPULEARN_ONE(exp2) __GPULEARN_ONE(expm1) __GPULEARN_ONE(log)
__GPULEARN_ONE(log10) __GPULEARN_ONE(log1p) __GPULEARN_ONE(log2) __GPULEARN_ONE(sin) __GPULEARN_ONE(sinh)
__GPULEARN_ONE(tan) __GPULEARN_ONE(tanh)
#undef __GPULEARN_ONE
#define __GPULEARN_TWO(name)                                                                           \
    extern "C" float __gpulearn_host_##name##f(float, float);                                          \
    extern "C" double __gpulearn_host_##name(double, double);                                          \
    inline float __gpulearn_host_##name(float a, float b) { return __gpulearn_host_##name##f(a, b); }  \
    inline long double __gpulearn_host_##name(long double a, long double b) {                          \
        return __gpulearn_host_##name((double)a, (double)b);                                           \
    }
__GPULEARN_TWO(atan2) __GPULEARN_TWO(hypot) __GPULEARN_TWO(pow)
#undef __GPULEARN_TWO

#define acos __gpulearn_host_acos
#define acosf __gpulearn_host_acosf
#define asin __gpulearn_host_asin
#define asinf __gpulearn_host_asinf
#define atan __gpulearn_host_atan
#define atanf __gpulearn_host_atanf
#define atan2 __gpulearn_host_atan2
#define atan2f __gpulearn_host_atan2f
#define cbrt __gpulearn_host_cbrt
#define cbrtf __gpulearn_host_cbrtf
#define cos __gpulearn_host_cos
#define cosf __gpulearn_host_cosf
#define cosh __gpulearn_host_cosh
#define coshf __gpulearn_host_coshf
#define exp __gpulearn_host_exp
#define expf __gpulearn_host_expf
#define exp2 __gpulearn_host_exp2
#define exp2f __gpulearn_host_exp2f
#define expm1 __gpulearn_host_expm1
#define expm1f __gpulearn_host_expm1f
#define hypot __gpulearn_host_hypot
#define hypotf __gpulearn_host_hypotf
#define log __gpulearn_host_log
#define logf __gpulearn_host_logf
#define log10 __gpulearn_host_log10
#define log10f __gpulearn_host_log10f
#define log1p __gpulearn_host_log1p
#define log1pf __gpulearn_host_log1pf
#define log2 __gpulearn_host_log2
#define log2f __gpulearn_host_log2f
#define pow __gpulearn_host_pow
#define powf __gpulearn_host_powf
#define sin __gpulearn_host_sin
#define sinf __gpulearn_host_sinf
#define sinh __gpulearn_host_sinh
#define sinhf __gpulearn_host_sinhf
#define tan __gpulearn_host_tan
#define tanf __gpulearn_host_tanf
#define tanh __gpulearn_host_tanh
#define tanhf __gpulearn_host_tanhf
