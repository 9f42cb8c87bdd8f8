// Operations written as expressions of their arguments: `a * _1 + _2`.
#pragma once
#include <functional>

namespace thrust {
namespace detail {

// What is an expression, by its base.
struct expression {};
template <class T>
constexpr bool is_expression = std::is_base_of<expression, T>::value;

template <int n>
struct argument : expression {
    template <class First, class... Rest>
    constexpr decltype(auto) operator()(First &&first, Rest &&...rest) const {
        if constexpr (n == 0)
            return static_cast<First &&>(first);
        else
            return argument<n - 1>()(static_cast<Rest &&>(rest)...);
    }
};
template <class T>
struct value_expression : expression {
    T value;
    constexpr explicit value_expression(T value) : value(value) {}
    template <class... A>
    constexpr const T &operator()(A &&...) const {
        return value;
    }
};
template <class Op, class E>
struct unary_expression : expression {
    E of;
    constexpr explicit unary_expression(E of) : of(of) {}
    template <class... A>
    constexpr auto operator()(A &&...a) const {
        return Op()(of(a...));
    }
};
template <class Op, class L, class R>
struct binary_expression : expression {
    L left;
    R right;
    constexpr binary_expression(L left, R right) : left(left), right(right) {}
    template <class... A>
    constexpr auto operator()(A &&...a) const {
        return Op()(left(a...), right(a...));
    }
};

template <class T>
constexpr auto as_expression(const T &value) {
    if constexpr (is_expression<T>)
        return value;
    else
        return value_expression<T>(value);
}
template <class Op, class L, class R>
constexpr auto combined(const L &left, const R &right) {
    using Left = decltype(as_expression(left));
    using Right = decltype(as_expression(right));
    return binary_expression<Op, Left, Right>(as_expression(left), as_expression(right));
}

struct shift_left {
    template <class A, class B>
    constexpr auto operator()(const A &a, const B &b) const { return a << b; }
};
struct shift_right {
    template <class A, class B>
    constexpr auto operator()(const A &a, const B &b) const { return a >> b; }
};

#define __GPULEARN_BINARY(op, Op)                                                              \
    template <class L, class R, std::enable_if_t<is_expression<L> || is_expression<R>, int> = 0> \
    constexpr auto operator op(const L &left, const R &right) {                                \
        return combined<Op>(left, right);                                                      \
    }
__GPULEARN_BINARY(+, std::plus<>)
__GPULEARN_BINARY(-, std::minus<>)
__GPULEARN_BINARY(*, std::multiplies<>)
__GPULEARN_BINARY(/, std::divides<>)
__GPULEARN_BINARY(%, std::modulus<>)
__GPULEARN_BINARY(==, std::equal_to<>)
__GPULEARN_BINARY(!=, std::not_equal_to<>)
__GPULEARN_BINARY(<, std::less<>)
__GPULEARN_BINARY(>, std::greater<>)
__GPULEARN_BINARY(<=, std::less_equal<>)
__GPULEARN_BINARY(>=, std::greater_equal<>)
__GPULEARN_BINARY(&&, std::logical_and<>)
__GPULEARN_BINARY(||, std::logical_or<>)
__GPULEARN_BINARY(&, std::bit_and<>)
__GPULEARN_BINARY(|, std::bit_or<>)
__GPULEARN_BINARY(^, std::bit_xor<>)
__GPULEARN_BINARY(<<, shift_left)
__GPULEARN_BINARY(>>, shift_right)
#undef __GPULEARN_BINARY

#define __GPULEARN_UNARY(op, Op)                                         \
    template <class E, std::enable_if_t<is_expression<E>, int> = 0>      \
    constexpr auto operator op(const E &of) {                            \
        return unary_expression<Op, E>(of);                              \
    }
__GPULEARN_UNARY(-, std::negate<>)
__GPULEARN_UNARY(!, std::logical_not<>)
__GPULEARN_UNARY(~, std::bit_not<>)
#undef __GPULEARN_UNARY

} // namespace detail

namespace placeholders {
constexpr detail::argument<0> _1{};
constexpr detail::argument<1> _2{};
constexpr detail::argument<2> _3{};
constexpr detail::argument<3> _4{};
constexpr detail::argument<4> _5{};
constexpr detail::argument<5> _6{};
constexpr detail::argument<6> _7{};
constexpr detail::argument<7> _8{};
constexpr detail::argument<8> _9{};
constexpr detail::argument<9> _10{};
} // namespace placeholders
} // namespace thrust
