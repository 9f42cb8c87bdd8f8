// malloc, free, abs and labs are built into the compiler.
#pragma once
#include <stddef.h>

#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
#define RAND_MAX 2147483647
#define MB_CUR_MAX 1

typedef struct { int quot, rem; } div_t;
typedef struct { long quot, rem; } ldiv_t;
typedef struct { long long quot, rem; } lldiv_t;

extern "C" {
void *calloc(size_t count, size_t bytes);
void *realloc(void *memory, size_t bytes);
void *aligned_alloc(size_t alignment, size_t bytes);
void *memalign(size_t alignment, size_t bytes);
void *alloca(size_t bytes);
int posix_memalign(void **memory, size_t alignment, size_t bytes);
[[noreturn]] void exit(int status);
[[noreturn]] void _Exit(int status);
[[noreturn]] void quick_exit(int status);
[[noreturn]] void abort(void);
int atexit(void (*function)(void));
int atoi(const char *text);
long atol(const char *text);
long long atoll(const char *text);
double atof(const char *text);
long strtol(const char *text, char **end, int base);
unsigned long strtoul(const char *text, char **end, int base);
long long strtoll(const char *text, char **end, int base);
unsigned long long strtoull(const char *text, char **end, int base);
float strtof(const char *text, char **end);
double strtod(const char *text, char **end);
int mkstemp(char *pattern);
int rand(void);
void srand(unsigned seed);
int rand_r(unsigned *seed);
long random(void);
void srandom(unsigned seed);
char *initstate(unsigned seed, char *state, size_t bytes);
char *setstate(char *state);
double drand48(void);
double erand48(unsigned short state[3]);
long nrand48(unsigned short state[3]);
long jrand48(unsigned short state[3]);
long lrand48(void);
long mrand48(void);
void srand48(long seed);
char *getenv(const char *name);
int setenv(const char *name, const char *value, int overwrite);
int putenv(char *setting);
int system(const char *command);
void qsort_r(void *base, size_t count, size_t bytes, int (*compare)(const void *, const void *, void *), void *context);
}

inline int unsetenv(const char *) { return 0; }
inline void *valloc(size_t bytes) { return memalign(4096, bytes); }
inline long double strtold(const char *text, char **end) { return strtod(text, end); }
inline div_t div(int a, int b) { return {a / b, a % b}; }
inline ldiv_t ldiv(long a, long b) { return {a / b, a % b}; }
inline lldiv_t lldiv(long long a, long long b) { return {a / b, a % b}; }

inline void *bsearch(const void *key, const void *base, size_t count, size_t bytes,
                     int (*compare)(const void *, const void *)) {
    const char *low = (const char *)base;
    while (count > 0) {
        const char *middle = low + count / 2 * bytes;
        int order = compare(key, middle);
        if (order == 0) return (void *)middle;
        if (order > 0) {
            low = middle + bytes;
            count -= count / 2 + 1;
        } else {
            count /= 2;
        }
    }
    return nullptr;
}

// A merge sort from below, stable as glibc's.
inline void qsort(void *base, size_t count, size_t bytes, int (*compare)(const void *, const void *)) {
    if (count < 2 || bytes == 0) return;
    char *from = (char *)base, *to = (char *)malloc(count * bytes), *room = to;
    if (!to) return;
    for (size_t width = 1; width < count; width *= 2) {
        for (size_t left = 0; left < count; left += 2 * width) {
            size_t middle = left + width < count ? left + width : count;
            size_t right = left + 2 * width < count ? left + 2 * width : count;
            size_t a = left, b = middle;
            for (size_t at = left; at < right; ++at) {
                bool first = a < middle && (b >= right || compare(from + a * bytes, from + b * bytes) <= 0);
                const char *taken = from + (first ? a++ : b++) * bytes;
                char *place = to + at * bytes;
                if (bytes == 4 && ((size_t)taken | (size_t)place) % 4 == 0) *(int *)place = *(const int *)taken;
                else if (bytes == 8 && ((size_t)taken | (size_t)place) % 8 == 0) *(long *)place = *(const long *)taken;
                else for (size_t i = 0; i < bytes; ++i) place[i] = taken[i];
            }
        }
        char *other = from;
        from = to;
        to = other;
    }
    if (from != base) memcpy(base, from, count * bytes);
    free(room);
}
