// Comparisons as functions, of one type or of any.
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

}  // namespace std
