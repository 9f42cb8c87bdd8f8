// Ends the program because of an index that is past the end.
#pragma once
#include <gpulearn/throw.h>
#include <stdio.h>

namespace std {

[[noreturn]] __noinline__ inline void __out_of_range(const char *what, size_t index, size_t size) {
    char message[128];
    snprintf(message, sizeof message, "%s %zu of %zu", what, index, size);
    __gpulearn_throw("std::out_of_range", message);
}

}  // namespace std
