// size_t, ptrdiff_t and NULL are built into the compiler.
#pragma once
#ifndef offsetof
#define offsetof(type, member) ((size_t)&reinterpret_cast<const volatile char&>(((type *)0)->member))
#endif
