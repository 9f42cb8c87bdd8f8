/* setjmp returns once: longjmp is declared, and a program that calls it is unsupported. */
#pragma once
struct __jmp_buf_tag { int unused; };
typedef struct __jmp_buf_tag jmp_buf[1], sigjmp_buf[1];
inline int setjmp(jmp_buf) { return 0; }
inline int sigsetjmp(sigjmp_buf, int) { return 0; }
extern "C" {
[[noreturn]] void longjmp(jmp_buf place, int value);
[[noreturn]] void siglongjmp(sigjmp_buf place, int value);
}
