// Ends the program where it uses an element that a container, or an std::optional, does not have. Only host code is
// checked. This is a macro since the line of the use is lost where one inlined function calls another.
#pragma once

extern "C" [[noreturn]] void __gpulearn_no_element(const char *use);

#ifdef __GPULEARN_HOST
#define __HAS_ELEMENT(has, use) ((has) ? static_cast<void>(0) : __gpulearn_no_element(use))
#else
#define __HAS_ELEMENT(has, use) static_cast<void>(0)
#endif
