/* Text is in the C locale, the only one there is. */
#pragma once
#include <string.h>
#define LC_CTYPE 0
#define LC_NUMERIC 1
#define LC_TIME 2
#define LC_COLLATE 3
#define LC_MONETARY 4
#define LC_MESSAGES 5
#define LC_ALL 6
struct lconv;
extern "C" struct lconv *localeconv(void);
/* Returns the locale's name; a null pointer if another than the C locale is asked for, as where it is not installed. */
inline char *setlocale(int, const char *name) {
    bool is_here = !name || !*name || !strcmp(name, "C") || !strcmp(name, "POSIX");
    return is_here ? const_cast<char *>("C") : NULL;
}
