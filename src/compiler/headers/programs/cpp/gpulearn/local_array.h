// What is copied and set in local arrays: `memset(a, 0, n)` is written as
// `memset(a, 0, __gpulearn_fits(a, "a", true, a, n))`, and what does not fit is reported. The compiler makes stores of
// its own of such calls.
#pragma once
#include <stddef.h>

extern "C" void __gpulearn_past_array(const char *name, size_t size, size_t offset, size_t bytes, bool writes);

// Returns `bytes`, which begin at `at`. That may be what a pointer in the array leads to.
template <class T, size_t n>
inline size_t __gpulearn_fits(const T (&array)[n], const char *name, bool writes, const volatile void *at,
                              size_t bytes) {
    size_t offset = reinterpret_cast<size_t>(at) - reinterpret_cast<size_t>(&array);
    if (offset < sizeof array && bytes > sizeof array - offset)
        __gpulearn_past_array(name, sizeof array, offset, bytes, writes);
    return bytes;
}
// What has become something else than an array.
template <class T>
inline size_t __gpulearn_fits(const T &, const char *, bool, const volatile void *, size_t bytes) {
    return bytes;
}
