/* Floating-point arithmetic rounds to nearest here and sets no flags: what changes or asks for that is declared alone. */
#pragma once
typedef int fexcept_t;
typedef struct { int unused; } fenv_t;
#define FE_INVALID 1
#define FE_DIVBYZERO 4
#define FE_OVERFLOW 8
#define FE_UNDERFLOW 16
#define FE_INEXACT 32
#define FE_ALL_EXCEPT 61
#define FE_TONEAREST 0
#define FE_DOWNWARD 0x400
#define FE_UPWARD 0x800
#define FE_TOWARDZERO 0xc00
extern "C" {
int fegetround(void);
int fesetround(int direction);
int feclearexcept(int exceptions);
int fetestexcept(int exceptions);
int feenableexcept(int exceptions);
int fedisableexcept(int exceptions);
}
