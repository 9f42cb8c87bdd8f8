// What the standard library does where it would throw: the program ends with `type` and `message`.
#pragma once

extern "C" [[noreturn]] void __gpulearn_throw(const char *type, const char *message);
// A part of the program with a handler behind it begins: 1, or ends: -1.
extern "C" void __gpulearn_try(int by);
