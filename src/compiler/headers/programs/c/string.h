// memcpy and memset are built into the compiler; the tool answers the others.
#pragma once
#include <stddef.h>
#include <strings.h>

extern "C" {
void *memmove(void *to, const void *from, size_t bytes);
int memcmp(const void *a, const void *b, size_t bytes);
size_t strlen(const char *text);
size_t strnlen(const char *text, size_t most);
int strcmp(const char *a, const char *b);
int strncmp(const char *a, const char *b, size_t most);
int strcoll(const char *a, const char *b);
char *strcpy(char *to, const char *from);
char *strncpy(char *to, const char *from, size_t bytes);
char *strcat(char *to, const char *from);
char *strncat(char *to, const char *from, size_t most);
char *strtok(char *text, const char *separators);
char *strtok_r(char *text, const char *separators, char **rest);
char *strdup(const char *text);
char *strndup(const char *text, size_t most);
size_t strspn(const char *text, const char *accepted);
size_t strcspn(const char *text, const char *refused);
char *strerror(int error);
// What C++ has twice, for `const char *` and `char *`.
void *__gpulearn_memchr(const void *memory, int byte, size_t bytes);
char *__gpulearn_strchr(const char *text, int character);
char *__gpulearn_strrchr(const char *text, int character);
char *__gpulearn_strstr(const char *text, const char *part);
char *__gpulearn_strpbrk(const char *text, const char *accepted);
}

inline const void *memchr(const void *memory, int byte, size_t bytes) { return __gpulearn_memchr(memory, byte, bytes); }
inline void *memchr(void *memory, int byte, size_t bytes) { return __gpulearn_memchr(memory, byte, bytes); }
inline const char *strchr(const char *text, int character) { return __gpulearn_strchr(text, character); }
inline char *strchr(char *text, int character) { return __gpulearn_strchr(text, character); }
inline const char *strrchr(const char *text, int character) { return __gpulearn_strrchr(text, character); }
inline char *strrchr(char *text, int character) { return __gpulearn_strrchr(text, character); }
inline const char *strstr(const char *text, const char *part) { return __gpulearn_strstr(text, part); }
inline char *strstr(char *text, const char *part) { return __gpulearn_strstr(text, part); }
inline const char *strpbrk(const char *text, const char *accepted) { return __gpulearn_strpbrk(text, accepted); }
inline char *strpbrk(char *text, const char *accepted) { return __gpulearn_strpbrk(text, accepted); }
