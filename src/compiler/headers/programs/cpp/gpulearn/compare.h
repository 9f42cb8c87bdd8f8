// Comparisons and operators as functions, of one type or of any. Common libraries give them with containers and
// algorithms, too.
#pragma once

namespace std {

#define __GPULEARN_OPERATOR(name, op)                                              \
    template <class T = void>                                                      \
    struct name {                                                                  \
        constexpr bool operator()(const T &a, const T &b) const { return a op b; } \
    };                                                                             \
    template <>                                                                    \
    struct name<void> {                                                            \
        using is_transparent = void;                                               \
        template <class A, class B>                                                \
        constexpr bool operator()(const A &a, const B &b) const { return a op b; } \
    };
__GPULEARN_OPERATOR(less, <) __GPULEARN_OPERATOR(greater, >) __GPULEARN_OPERATOR(less_equal, <=)
__GPULEARN_OPERATOR(greater_equal, >=) __GPULEARN_OPERATOR(equal_to, ==) __GPULEARN_OPERATOR(not_equal_to, !=)
#undef __GPULEARN_OPERATOR

// Operators as functions, of one type or of any.
#define __GPULEARN_ARITHMETIC(name, result, op)                                            \
    template <class T = void>                                                            \
    struct name {                                                                        \
        constexpr auto operator()(const T &a, const T &b) const -> result { return a op b; } \
    };                                                                                   \
    template <>                                                                          \
    struct name<void> {                                                                  \
        using is_transparent = void;                                                     \
        template <class A, class B>                                                      \
        constexpr auto operator()(A &&a, B &&b) const { return a op b; }                 \
    };
__GPULEARN_ARITHMETIC(plus, T, +) __GPULEARN_ARITHMETIC(minus, T, -) __GPULEARN_ARITHMETIC(multiplies, T, *)
__GPULEARN_ARITHMETIC(divides, T, /) __GPULEARN_ARITHMETIC(modulus, T, %) __GPULEARN_ARITHMETIC(bit_and, T, &)
__GPULEARN_ARITHMETIC(bit_or, T, |) __GPULEARN_ARITHMETIC(bit_xor, T, ^) __GPULEARN_ARITHMETIC(logical_and, bool, &&)
__GPULEARN_ARITHMETIC(logical_or, bool, ||)
#undef __GPULEARN_ARITHMETIC
#define __GPULEARN_UNARY(name, result, op)                                          \
    template <class T = void>                                                     \
    struct name {                                                                 \
        constexpr result operator()(const T &a) const { return op a; }            \
    };                                                                            \
    template <>                                                                   \
    struct name<void> {                                                           \
        using is_transparent = void;                                              \
        template <class A>                                                        \
        constexpr auto operator()(A &&a) const { return op static_cast<A &&>(a); } \
    };
__GPULEARN_UNARY(negate, T, -) __GPULEARN_UNARY(logical_not, bool, !) __GPULEARN_UNARY(bit_not, T, ~)
#undef __GPULEARN_UNARY

}  // namespace std
