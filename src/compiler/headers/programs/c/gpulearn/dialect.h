// Words that nvcc takes, as its host compiler does, and that NVRTC does not.
#pragma once
// C++17 has dropped it, and nvcc ignores it.
#define register
#define __asm asm
#define __asm__ asm
#define __const const
#define __const__ const
#define __extension__
#define __signed signed
#define __signed__ signed
#define __volatile volatile

// The type of an expression, as of one that stands alone: without a reference. A type's own name is not taken.
template <class __Type>
struct __gpulearn_value { using type = __Type; };
template <class __Type>
struct __gpulearn_value<__Type &> { using type = __Type; };
template <class __Type>
struct __gpulearn_value<__Type &&> { using type = __Type; };
template <class __Type>
using __gpulearn_value_of = typename __gpulearn_value<__Type>::type;
#define __typeof__(...) __gpulearn_value_of<decltype((__VA_ARGS__))>
#define __typeof(...) __typeof__(__VA_ARGS__)
#define typeof(...) __typeof__(__VA_ARGS__)
