// Operations as objects.
#pragma once
#include <functional>
#include <thrust/detail/placeholders.h>
#include <thrust/detail/system.h>

namespace thrust {

using std::bit_and;
using std::bit_or;
using std::bit_xor;
using std::divides;
using std::equal_to;
using std::greater;
using std::greater_equal;
using std::less;
using std::less_equal;
using std::logical_and;
using std::logical_not;
using std::logical_or;
using std::minus;
using std::modulus;
using std::multiplies;
using std::negate;
using std::not_equal_to;
using std::plus;

template <class T = void>
struct maximum {
    constexpr T operator()(const T &a, const T &b) const { return a < b ? b : a; }
};
template <class T = void>
struct minimum {
    constexpr T operator()(const T &a, const T &b) const { return b < a ? b : a; }
};
template <>
struct maximum<void> {
    template <class T>
    constexpr T operator()(const T &a, const T &b) const { return a < b ? b : a; }
};
template <>
struct minimum<void> {
    template <class T>
    constexpr T operator()(const T &a, const T &b) const { return b < a ? b : a; }
};
template <class T = void>
struct identity {
    constexpr const T &operator()(const T &a) const { return a; }
};
template <>
struct identity<void> {
    template <class T>
    constexpr T operator()(const T &a) const { return a; }
};
template <class T = void>
struct square {
    constexpr T operator()(const T &a) const { return a * a; }
};
template <>
struct square<void> {
    template <class T>
    constexpr T operator()(const T &a) const { return a * a; }
};
template <class A, class B>
struct project1st {
    constexpr const A &operator()(const A &a, const B &) const { return a; }
};
template <class A, class B>
struct project2nd {
    constexpr const B &operator()(const A &, const B &b) const { return b; }
};
template <class A, class R>
struct unary_function {
    using argument_type = A;
    using result_type = R;
};
template <class A, class B, class R>
struct binary_function {
    using first_argument_type = A;
    using second_argument_type = B;
    using result_type = R;
};
template <class F>
struct not_fn_t {
    mutable F f;
    template <class... A>
    constexpr bool operator()(A &&...a) const { return !f(static_cast<A &&>(a)...); }
};
template <class F>
constexpr not_fn_t<F> not_fn(F f) { return {f}; }

} // namespace thrust
