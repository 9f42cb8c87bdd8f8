// What gcc has built in: host code calls it by these names, without a header.
#pragma once
#include <math.h>
#include <stdlib.h>
#include <string.h>

namespace gpulearn {

template <class T>
constexpr int ones(T x) {
    int count = 0;
    for (; x != 0; x &= x - 1) count++;
    return count;
}
template <class T>
constexpr int trailing_zeros(T x) {
    return ones(T(~x & (x - 1)));
}
template <class T>
constexpr int leading_zeros(T x) {
    for (unsigned by = 1; by < 8 * sizeof(T); by *= 2) x |= x >> by;
    return ones(T(~x));
}
template <class T>
constexpr T bytes_turned(T x) {
    T out = 0;
    for (unsigned i = 0; i < sizeof(T); i++, x >>= 8) out = out << 8 | (x & 0xff);
    return out;
}

} // namespace gpulearn

// Bits. Of zero, gcc leaves open what clz and ctz answer: it is the width here.

constexpr int __builtin_popcount(unsigned int x) { return gpulearn::ones(x); }
constexpr int __builtin_parity(unsigned int x) { return gpulearn::ones(x) & 1; }
constexpr int __builtin_clz(unsigned int x) { return gpulearn::leading_zeros(x); }
constexpr int __builtin_ctz(unsigned int x) { return gpulearn::trailing_zeros(x); }
constexpr int __builtin_ffs(int x) { return x == 0 ? 0 : gpulearn::trailing_zeros((unsigned int)x) + 1; }
constexpr int __builtin_clrsb(int x) { return gpulearn::leading_zeros((unsigned int)(x < 0 ? ~x : x)) - 1; }

constexpr int __builtin_popcountl(unsigned long x) { return gpulearn::ones(x); }
constexpr int __builtin_parityl(unsigned long x) { return gpulearn::ones(x) & 1; }
constexpr int __builtin_clzl(unsigned long x) { return gpulearn::leading_zeros(x); }
constexpr int __builtin_ctzl(unsigned long x) { return gpulearn::trailing_zeros(x); }
constexpr int __builtin_ffsl(long x) { return x == 0 ? 0 : gpulearn::trailing_zeros((unsigned long)x) + 1; }
constexpr int __builtin_clrsbl(long x) { return gpulearn::leading_zeros((unsigned long)(x < 0 ? ~x : x)) - 1; }

constexpr int __builtin_popcountll(unsigned long long x) { return gpulearn::ones(x); }
constexpr int __builtin_parityll(unsigned long long x) { return gpulearn::ones(x) & 1; }
constexpr int __builtin_clzll(unsigned long long x) { return gpulearn::leading_zeros(x); }
constexpr int __builtin_ctzll(unsigned long long x) { return gpulearn::trailing_zeros(x); }
constexpr int __builtin_ffsll(long long x) { return x == 0 ? 0 : gpulearn::trailing_zeros((unsigned long long)x) + 1; }
constexpr int __builtin_clrsbll(long long x) { return gpulearn::leading_zeros((unsigned long long)(x < 0 ? ~x : x)) - 1; }

constexpr unsigned short __builtin_bswap16(unsigned short x) { return gpulearn::bytes_turned(x); }
constexpr unsigned __builtin_bswap32(unsigned x) { return gpulearn::bytes_turned(x); }
constexpr unsigned long __builtin_bswap64(unsigned long x) { return gpulearn::bytes_turned(x); }

// Sums, differences and products, and whether they do not fit. A product of two numbers without a sign
// takes 128 bits without one; as a number with a sign it is negative, and fits nowhere, as it should.
#ifdef __CUDACC_RTC_INT128__
namespace gpulearn {
// Whether a whole number, as 128 bits hold it, is another as `out` holds it.
template <class T>
constexpr bool overflows(__int128 whole, T *out) {
    *out = T(whole);
    return __int128(*out) != whole;
}
} // namespace gpulearn

template <class A, class B, class T>
constexpr bool __builtin_add_overflow(A a, B b, T *out) {
    return gpulearn::overflows(__int128(a) + __int128(b), out);
}
template <class A, class B, class T>
constexpr bool __builtin_sub_overflow(A a, B b, T *out) {
    return gpulearn::overflows(__int128(a) - __int128(b), out);
}
template <class A, class B, class T>
constexpr bool __builtin_mul_overflow(A a, B b, T *out) {
    using wide = unsigned __int128;
    return gpulearn::overflows(__int128(wide(__int128(a)) * wide(__int128(b))), out);
}
#endif

// Hints, which change nothing.

constexpr long __builtin_expect_with_probability(long x, long, double) { return x; }
constexpr void __builtin_prefetch(const void *, int = 0, int = 3) {}
template <class T>
constexpr int __builtin_constant_p(T &&) {
    return 0;
}

// The C library by another name.

#define __builtin_alloca(bytes) alloca(bytes)
#define __builtin_offsetof(type, member) offsetof(type, member)
template <class T>
inline int __builtin_isnan(T x) { return isnan(x); }
template <class T>
inline int __builtin_isinf(T x) { return isinf(x); }
template <class T>
inline int __builtin_isfinite(T x) { return isfinite(x); }
template <class T>
inline int __builtin_signbit(T x) { return signbit(x); }

[[noreturn]] inline void __builtin_trap() { abort(); }
[[noreturn]] inline void __builtin_abort() { abort(); }
constexpr int __builtin_abs(int x) { return x < 0 ? -x : x; }
inline double __builtin_fabs(double x) { return fabs(x); }
inline float __builtin_fabsf(float x) { return fabsf(x); }
inline double __builtin_sqrt(double x) { return sqrt(x); }
inline float __builtin_sqrtf(float x) { return sqrtf(x); }
inline double __builtin_huge_val() { return INFINITY; }
inline double __builtin_inf() { return INFINITY; }
inline float __builtin_inff() { return INFINITY; }
inline double __builtin_nan(const char *) { return NAN; }
inline float __builtin_nanf(const char *) { return NAN; }
inline void *__builtin_memcpy(void *to, const void *from, size_t bytes) { return memcpy(to, from, bytes); }
inline void *__builtin_memset(void *to, int byte, size_t bytes) { return memset(to, byte, bytes); }
inline size_t __builtin_strlen(const char *text) { return strlen(text); }
