#pragma once
#include <stddef.h>
extern "C" {
int strcasecmp(const char *a, const char *b);
int strncasecmp(const char *a, const char *b, size_t most);
int ffs(int bits);
int ffsl(long bits);
int ffsll(long long bits);
int memcmp(const void *a, const void *b, size_t bytes);
void *memmove(void *to, const void *from, size_t bytes);
char *__gpulearn_strchr(const char *text, int character);
char *__gpulearn_strrchr(const char *text, int character);
}
inline void bzero(void *memory, size_t bytes) { memset(memory, 0, bytes); }
inline void bcopy(const void *from, void *to, size_t bytes) { memmove(to, from, bytes); }
inline int bcmp(const void *a, const void *b, size_t bytes) { return memcmp(a, b, bytes); }
inline const char *index(const char *text, int character) { return __gpulearn_strchr(text, character); }
inline char *index(char *text, int character) { return __gpulearn_strchr(text, character); }
inline const char *rindex(const char *text, int character) { return __gpulearn_strrchr(text, character); }
inline char *rindex(char *text, int character) { return __gpulearn_strrchr(text, character); }
