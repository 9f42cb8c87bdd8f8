// gcc's atomic operations, of host code, which is one thread: nothing comes between.
#pragma once
#include <type_traits>

#ifndef __ATOMIC_RELAXED
#define __ATOMIC_RELAXED 0
#define __ATOMIC_CONSUME 1
#define __ATOMIC_ACQUIRE 2
#define __ATOMIC_RELEASE 3
#define __ATOMIC_ACQ_REL 4
#define __ATOMIC_SEQ_CST 5
#endif

#define __GPULEARN_ATOMIC(name, expression)                             \
    template <class T>                                                  \
    T __sync_fetch_and_##name(volatile T *at, std::__type_of<T> x) {    \
        T was = *at;                                                    \
        *at = expression;                                               \
        return was;                                                     \
    }                                                                   \
    template <class T>                                                  \
    T __sync_##name##_and_fetch(volatile T *at, std::__type_of<T> x) {  \
        T was = *at;                                                    \
        return *at = expression;                                        \
    }                                                                   \
    template <class T>                                                  \
    T __atomic_fetch_##name(volatile T *at, std::__type_of<T> x, int) { \
        return __sync_fetch_and_##name(at, x);                          \
    }                                                                   \
    template <class T>                                                  \
    T __atomic_##name##_fetch(volatile T *at, std::__type_of<T> x, int) { \
        return __sync_##name##_and_fetch(at, x);                        \
    }
namespace std {
// Not what a template's parameter is read from.
template <class T>
struct __type_of_it {
    using type = T;
};
template <class T>
using __type_of = typename __type_of_it<T>::type;
}  // namespace std
__GPULEARN_ATOMIC(add, was + x)
__GPULEARN_ATOMIC(sub, was - x)
__GPULEARN_ATOMIC(and, was & x)
__GPULEARN_ATOMIC(or, was | x)
__GPULEARN_ATOMIC(xor, was ^ x)
__GPULEARN_ATOMIC(nand, ~(was & x))
#undef __GPULEARN_ATOMIC

template <class T>
T __sync_val_compare_and_swap(volatile T *at, std::__type_of<T> old, std::__type_of<T> x) {
    T was = *at;
    if (was == old) *at = x;
    return was;
}
template <class T>
bool __sync_bool_compare_and_swap(volatile T *at, std::__type_of<T> old, std::__type_of<T> x) {
    return __sync_val_compare_and_swap(at, old, x) == old;
}
template <class T>
T __sync_lock_test_and_set(volatile T *at, std::__type_of<T> x) {
    T was = *at;
    *at = x;
    return was;
}
template <class T>
void __sync_lock_release(volatile T *at) {
    *at = 0;
}
inline void __sync_synchronize() {}

template <class T>
T __atomic_load_n(const volatile T *at, int) {
    return *at;
}
template <class T>
void __atomic_store_n(volatile T *at, std::__type_of<T> x, int) {
    *at = x;
}
template <class T>
T __atomic_exchange_n(volatile T *at, std::__type_of<T> x, int) {
    return __sync_lock_test_and_set(at, x);
}
template <class T>
bool __atomic_compare_exchange_n(volatile T *at, T *expected, std::__type_of<T> x, bool, int, int) {
    T was = __sync_val_compare_and_swap(at, *expected, x);
    bool same = was == *expected;
    *expected = was;
    return same;
}
template <class T>
void __atomic_load(const volatile T *at, T *to, int) {
    *to = *at;
}
template <class T>
void __atomic_store(volatile T *at, T *from, int) {
    *at = *from;
}
template <class T>
void __atomic_exchange(volatile T *at, T *from, T *to, int) {
    *to = __sync_lock_test_and_set(at, *from);
}
template <class T>
bool __atomic_compare_exchange(volatile T *at, T *expected, T *x, bool weak, int success, int failure) {
    return __atomic_compare_exchange_n(at, expected, *x, weak, success, failure);
}
template <class T>
bool __atomic_test_and_set(T *at, int) {
    bool was = *(char *)at;
    *(char *)at = 1;
    return was;
}
template <class T>
void __atomic_clear(T *at, int) {
    *(char *)at = 0;
}
inline void __atomic_thread_fence(int) {}
inline void __atomic_signal_fence(int) {}
