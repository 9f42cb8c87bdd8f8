// memcpy and memset are built into the compiler; the tool answers the others.
#pragma once
#include <stddef.h>
#include <strings.h>

extern "C" {
void *mempcpy(void *to, const void *from, size_t bytes);
void *memccpy(void *to, const void *from, int last, size_t bytes);
void *memmem(const void *memory, size_t bytes, const void *part, size_t part_bytes);
size_t strlen(const char *text);
size_t strnlen(const char *text, size_t most);
int strcmp(const char *a, const char *b);
int strncmp(const char *a, const char *b, size_t most);
int strcoll(const char *a, const char *b);
char *strcpy(char *to, const char *from);
char *strncpy(char *to, const char *from, size_t bytes);
char *stpcpy(char *to, const char *from);
char *strcat(char *to, const char *from);
char *strncat(char *to, const char *from, size_t most);
char *strtok(char *text, const char *separators);
char *strtok_r(char *text, const char *separators, char **rest);
char *strsep(char **text, const char *separators);
char *strdup(const char *text);
char *strndup(const char *text, size_t most);
size_t strspn(const char *text, const char *accepted);
size_t strcspn(const char *text, const char *refused);
char *strerror(int error);
char *strsignal(int number);
// What C++ has twice, for `const char *` and `char *`; <strings.h> has two more.
void *__gpulearn_memchr(const void *memory, int byte, size_t bytes);
void *__gpulearn_memrchr(const void *memory, int byte, size_t bytes);
char *__gpulearn_strstr(const char *text, const char *part);
char *__gpulearn_strcasestr(const char *text, const char *part);
char *__gpulearn_strpbrk(const char *text, const char *accepted);
}

inline const void *memchr(const void *memory, int byte, size_t bytes) { return __gpulearn_memchr(memory, byte, bytes); }
inline void *memchr(void *memory, int byte, size_t bytes) { return __gpulearn_memchr(memory, byte, bytes); }
inline const void *memrchr(const void *memory, int byte, size_t bytes) {
    return __gpulearn_memrchr(memory, byte, bytes);
}
inline void *memrchr(void *memory, int byte, size_t bytes) { return __gpulearn_memrchr(memory, byte, bytes); }
inline const char *strchr(const char *text, int character) { return __gpulearn_strchr(text, character); }
inline char *strchr(char *text, int character) { return __gpulearn_strchr(text, character); }
inline const char *strrchr(const char *text, int character) { return __gpulearn_strrchr(text, character); }
inline char *strrchr(char *text, int character) { return __gpulearn_strrchr(text, character); }
inline const char *strstr(const char *text, const char *part) { return __gpulearn_strstr(text, part); }
inline char *strstr(char *text, const char *part) { return __gpulearn_strstr(text, part); }
inline const char *strpbrk(const char *text, const char *accepted) { return __gpulearn_strpbrk(text, accepted); }
inline char *strpbrk(char *text, const char *accepted) { return __gpulearn_strpbrk(text, accepted); }
inline const char *strcasestr(const char *text, const char *part) { return __gpulearn_strcasestr(text, part); }
inline char *strcasestr(char *text, const char *part) { return __gpulearn_strcasestr(text, part); }
inline char *strchrnul(const char *text, int character) {
    char *at = __gpulearn_strchr(text, character);
    return at ? at : const_cast<char *>(text) + strlen(text);
}
inline size_t strxfrm(char *to, const char *from, size_t bytes) {
    size_t length = strlen(from);
    if (length < bytes) memcpy(to, from, length + 1);
    return length;
}
// GNU's, which a C++ program gets, returns the text.
inline char *strerror_r(int error, char *, size_t) { return strerror(error); }
