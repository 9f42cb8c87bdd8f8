// size_t, ptrdiff_t and NULL are built into the compiler.
#pragma once
#ifndef offsetof
#define offsetof(type, member) ((size_t)__INTADDR__(&(((type *)0)->member)))
#endif
typedef struct {
    alignas(16) long long __integer;
    alignas(16) double __real;
} max_align_t;
