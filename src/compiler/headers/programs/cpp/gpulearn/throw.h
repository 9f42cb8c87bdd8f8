// What the standard library does where it would throw: the program ends with `type` and `message`.
#pragma once

extern "C" [[noreturn]] void __gpulearn_throw(const char *type, const char *message);
