// Comparison of two sequences, element by element.
#pragma once
#include <gpulearn/ranges.h>

namespace std {

template <class T, class A>
class vector;
template <class T, class A>
class deque;
template <class T, class A>
class list;

#define __GPULEARN_COMPARE(name)                                                                                     \
    template <class T, class A>                                                                                      \
    bool operator==(const name<T, A> &a, const name<T, A> &b) {                                                      \
        return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin());                                    \
    }                                                                                                                \
    template <class T, class A>                                                                                      \
    bool operator!=(const name<T, A> &a, const name<T, A> &b) { return !(a == b); }                                  \
    template <class T, class A>                                                                                      \
    bool operator<(const name<T, A> &a, const name<T, A> &b) {                                                       \
        return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());                                 \
    }                                                                                                                \
    template <class T, class A>                                                                                      \
    bool operator>(const name<T, A> &a, const name<T, A> &b) { return b < a; }                                       \
    template <class T, class A>                                                                                      \
    bool operator<=(const name<T, A> &a, const name<T, A> &b) { return !(b < a); }                                   \
    template <class T, class A>                                                                                      \
    bool operator>=(const name<T, A> &a, const name<T, A> &b) { return !(a < b); }
__GPULEARN_COMPARE(vector)
__GPULEARN_COMPARE(deque)
__GPULEARN_COMPARE(list)
#undef __GPULEARN_COMPARE

}  // namespace std
