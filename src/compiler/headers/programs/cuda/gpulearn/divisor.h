// Divisions by constants that are zero: a compiler may leave them out, and here it would. `n / 0` is written as
// `n / __gpulearn_divisor(0)`, so that it is done, and reported, where the program comes to it.
#pragma once
#ifdef __GPULEARN_HOST

template <class T>
struct __gpulearn_divided_by {
    T divisor;
};
template <class T>
constexpr __gpulearn_divided_by<T> __gpulearn_divisor(T divisor) {
    return {divisor};
}

// Whether all values are whole numbers that fit into a register.
template <class T>
constexpr bool __gpulearn_is_whole() {
    if constexpr (__is_class(T)) return false;
    else return sizeof(T) <= sizeof(long long) && static_cast<T>(1) / 2 == 0;
}
// The compiler does not know what it returns.
template <class T>
inline T __gpulearn_unknown(T value) {
    long long bits = static_cast<long long>(value);
    asm volatile("" : "+l"(bits));
    return static_cast<T>(bits);
}

template <class A, class T>
constexpr auto operator/(const A &a, __gpulearn_divided_by<T> by) {
    if constexpr (__gpulearn_is_whole<A>() && __gpulearn_is_whole<T>())
        if (!__builtin_is_constant_evaluated()) return __gpulearn_unknown(a) / __gpulearn_unknown(by.divisor);
    return a / by.divisor;
}
template <class A, class T>
constexpr auto operator%(const A &a, __gpulearn_divided_by<T> by) {
    if constexpr (__gpulearn_is_whole<A>() && __gpulearn_is_whole<T>())
        if (!__builtin_is_constant_evaluated()) return __gpulearn_unknown(a) % __gpulearn_unknown(by.divisor);
    return a % by.divisor;
}
template <class A, class T>
constexpr A &operator/=(A &a, __gpulearn_divided_by<T> by) {
    return a = static_cast<A>(a / by);
}
template <class A, class T>
constexpr A &operator%=(A &a, __gpulearn_divided_by<T> by) {
    return a = static_cast<A>(a % by);
}

#else
template <class T>
constexpr T __gpulearn_divisor(T divisor) {
    return divisor;
}
#endif
