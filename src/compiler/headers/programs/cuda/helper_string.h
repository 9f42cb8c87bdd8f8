// What NVIDIA's samples read their command lines with: -name, --name, -name=value.
#pragma once
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#ifndef EXIT_WAIVED
#define EXIT_WAIVED 2
#endif
#define STRCASECMP  strcasecmp
#define STRNCASECMP strncasecmp
#define STRCPY(to, bytes, from) strcpy(to, from)
#define SPRINTF sprintf

inline int stringRemoveDelimiter(char delimiter, const char *text) {
    int at = 0;
    while (text[at] == delimiter) ++at;
    return at < (int)strlen(text) - 1 ? at : 0;
}

// What follows `-name`, at its `=` or its end; null where no argument is that.
inline const char *__gpulearn_option(int argc, const char **argv, const char *name) {
    size_t length = strlen(name);
    // Samples ask for "device=" too.
    if (length > 0 && name[length - 1] == '=') --length;
    for (int i = 1; i < argc; ++i) {
        if (argv[i][0] != '-') continue;
        const char *option = argv[i] + stringRemoveDelimiter('-', argv[i]);
        if (strncasecmp(option, name, length) == 0 && (option[length] == 0 || option[length] == '=')) {
            return option + length;
        }
    }
    return nullptr;
}
inline bool checkCmdLineFlag(int argc, const char **argv, const char *name) {
    return __gpulearn_option(argc, argv, name) != nullptr;
}
inline int getCmdLineArgumentInt(int argc, const char **argv, const char *name) {
    const char *found = __gpulearn_option(argc, argv, name);
    return found && *found ? atoi(found + 1) : 0;
}
inline float getCmdLineArgumentFloat(int argc, const char **argv, const char *name) {
    const char *found = __gpulearn_option(argc, argv, name);
    return found && *found ? (float)atof(found + 1) : 0.0f;
}
inline bool getCmdLineArgumentString(int argc, const char **argv, const char *name, char **value) {
    const char *found = __gpulearn_option(argc, argv, name);
    *value = found && *found ? (char *)found + 1 : nullptr;
    return *value != nullptr;
}
template <class T> bool getCmdLineArgumentValue(int argc, const char **argv, const char *name, T *value) {
    const char *found = __gpulearn_option(argc, argv, name);
    if (found && *found) *value = (T)atof(found + 1);
    return found != nullptr;
}
// There are no files.
inline char *sdkFindFilePath(const char *, const char *) { return nullptr; }
