// The functions of mathematics for integers and for arguments of two types, as C++ has them in addition to
// those of the compiler: such arguments are made double.
#pragma once

template <class T>
struct __gpulearn_number { enum { whole = false, any = false }; };
#define __GPULEARN_NUMBER(type, is_whole) \
    template <>                           \
    struct __gpulearn_number<type> { enum { whole = is_whole, any = true }; };
__GPULEARN_NUMBER(bool, true) __GPULEARN_NUMBER(char, true) __GPULEARN_NUMBER(signed char, true)
__GPULEARN_NUMBER(unsigned char, true) __GPULEARN_NUMBER(short, true) __GPULEARN_NUMBER(unsigned short, true)
__GPULEARN_NUMBER(int, true) __GPULEARN_NUMBER(unsigned, true) __GPULEARN_NUMBER(long, true)
__GPULEARN_NUMBER(unsigned long, true) __GPULEARN_NUMBER(long long, true) __GPULEARN_NUMBER(unsigned long long, true)
__GPULEARN_NUMBER(float, false) __GPULEARN_NUMBER(double, false) __GPULEARN_NUMBER(long double, false)
#undef __GPULEARN_NUMBER
template <bool, class R>
struct __gpulearn_if {};
template <class R>
struct __gpulearn_if<true, R> { using type = R; };
template <class A, class B>
struct __gpulearn_differ { enum { value = __gpulearn_number<A>::any && __gpulearn_number<B>::any }; };
template <class A>
struct __gpulearn_differ<A, A> { enum { value = __gpulearn_number<A>::whole }; };

#define __GPULEARN_ONE(name)                                                                  \
    template <class T>                                                                        \
    inline typename __gpulearn_if<__gpulearn_number<T>::whole, double>::type name(T x) {      \
        return name(double(x));                                                               \
    }
__GPULEARN_ONE(acos) __GPULEARN_ONE(acosh) __GPULEARN_ONE(asin) __GPULEARN_ONE(asinh) __GPULEARN_ONE(atan)
__GPULEARN_ONE(atanh) __GPULEARN_ONE(cbrt) __GPULEARN_ONE(ceil) __GPULEARN_ONE(cos) __GPULEARN_ONE(cosh)
__GPULEARN_ONE(erf) __GPULEARN_ONE(erfc) __GPULEARN_ONE(exp) __GPULEARN_ONE(exp2) __GPULEARN_ONE(expm1)
__GPULEARN_ONE(fabs) __GPULEARN_ONE(floor) __GPULEARN_ONE(lgamma) __GPULEARN_ONE(log) __GPULEARN_ONE(log10)
__GPULEARN_ONE(log1p) __GPULEARN_ONE(log2) __GPULEARN_ONE(nearbyint) __GPULEARN_ONE(rint) __GPULEARN_ONE(round)
__GPULEARN_ONE(sin) __GPULEARN_ONE(sinh) __GPULEARN_ONE(sqrt) __GPULEARN_ONE(tan) __GPULEARN_ONE(tanh)
__GPULEARN_ONE(tgamma) __GPULEARN_ONE(trunc)
#undef __GPULEARN_ONE
#define __GPULEARN_TWO(name)                                                                            \
    template <class A, class B>                                                                         \
    inline typename __gpulearn_if<__gpulearn_differ<A, B>::value, double>::type name(A a, B b) {        \
        return name(double(a), double(b));                                                              \
    }
__GPULEARN_TWO(atan2) __GPULEARN_TWO(copysign) __GPULEARN_TWO(fdim) __GPULEARN_TWO(fmax) __GPULEARN_TWO(fmin)
__GPULEARN_TWO(fmod) __GPULEARN_TWO(hypot) __GPULEARN_TWO(pow) __GPULEARN_TWO(remainder)
#undef __GPULEARN_TWO
#define __GPULEARN_KIND(name)                                                                 \
    template <class T>                                                                        \
    inline typename __gpulearn_if<__gpulearn_number<T>::whole, bool>::type name(T x) {        \
        return name(double(x));                                                               \
    }
__GPULEARN_KIND(isfinite) __GPULEARN_KIND(isinf) __GPULEARN_KIND(isnan) __GPULEARN_KIND(signbit)
#undef __GPULEARN_KIND
template <class T>
inline typename __gpulearn_if<__gpulearn_number<T>::whole, double>::type frexp(T x, int *exponent) {
    return frexp(double(x), exponent);
}
template <class T>
inline typename __gpulearn_if<__gpulearn_number<T>::whole, double>::type ldexp(T x, int exponent) {
    return ldexp(double(x), exponent);
}
