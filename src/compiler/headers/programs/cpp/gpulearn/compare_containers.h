// Comparison of two sequences, element by element, and what C++20 erases from them.
#pragma once
#include <gpulearn/erase.h>
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

#if __cplusplus >= 202002L
#define __GPULEARN_ERASE(name, erase_from)                                                                           \
    template <class T, class A, class Is>                                                                            \
    size_t erase_if(name<T, A> &from, Is is) {                                                                       \
        return std::erase_from(from, is);                                                                            \
    }                                                                                                                \
    template <class T, class A, class U>                                                                             \
    size_t erase(name<T, A> &from, const U &value) {                                                                 \
        return std::erase_from(from, [&](const T &x) { return x == value; });                                        \
    }
__GPULEARN_ERASE(vector, __erase_from)
__GPULEARN_ERASE(deque, __erase_from)
__GPULEARN_ERASE(list, __erase_nodes)
#undef __GPULEARN_ERASE
#endif

}  // namespace std
