/* These change the path. */
#pragma once
#include <string.h>
#define basename __xpg_basename
inline char *__xpg_basename(char *path) {
    if (!path || !*path) return const_cast<char *>(".");
    for (char *end = path + strlen(path); end > path + 1 && end[-1] == '/';) *--end = 0;
    char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}
inline char *dirname(char *path) {
    if (!path || !*path) return const_cast<char *>(".");
    char *end = path + strlen(path);
    while (end > path + 1 && end[-1] == '/') --end;
    while (end > path && end[-1] != '/') --end;
    while (end > path + 1 && end[-1] == '/') --end;
    if (end == path) return const_cast<char *>(".");
    *end = 0;
    return path;
}
