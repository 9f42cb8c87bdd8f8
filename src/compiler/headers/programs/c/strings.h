#pragma once
#include <stddef.h>
extern "C" {
int strcasecmp(const char *a, const char *b);
int strncasecmp(const char *a, const char *b, size_t most);
}
inline void bzero(void *memory, size_t bytes) { memset(memory, 0, bytes); }
