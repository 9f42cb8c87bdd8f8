// getopt as POSIX has it: it stops at the first argument that is no option. getopt_long knows
// whole names only.
#pragma once
#include <stdio.h>
#include <string.h>

#define no_argument 0
#define required_argument 1
#define optional_argument 2

struct option {
    const char *name;
    int has_arg;
    int *flag;
    int val;
};

inline char *optarg = nullptr;
inline int optind = 1, opterr = 1, optopt = 0;
// Letters of the word at optind that have been read.
inline int __gpulearn_optread = 0;

inline int getopt(int argc, char *const argv[], const char *letters) {
    optarg = nullptr;
    if (optind >= argc || !argv[optind] || argv[optind][0] != '-' || !argv[optind][1]) return -1;
    const char *word = argv[optind];
    if (word[1] == '-' && !word[2]) {
        ++optind;
        return -1;
    }
    const char *at = word + 1 + __gpulearn_optread++;
    int letter = *at;
    bool last = !at[1], quiet = *letters == ':';
    const char *known = letters;
    while (*known && (*known != letter || *known == ':')) ++known;
    if (!*known) {
        optopt = letter;
        if (opterr && !quiet) fprintf(stderr, "%s: invalid option -- '%c'\n", argv[0], letter);
        letter = '?';
    } else if (known[1] == ':') {
        __gpulearn_optread = 0;
        ++optind;
        if (!last) {
            optarg = (char *)at + 1;
        } else if (known[2] != ':') {
            if (optind < argc) {
                optarg = argv[optind++];
            } else {
                optopt = letter;
                if (opterr && !quiet) fprintf(stderr, "%s: option requires an argument -- '%c'\n", argv[0], letter);
                return quiet ? ':' : '?';
            }
        }
        return letter;
    }
    if (last) {
        __gpulearn_optread = 0;
        ++optind;
    }
    return letter;
}

inline int getopt_long(int argc, char *const argv[], const char *letters, const struct option *options, int *index) {
    if (optind < argc && argv[optind] && argv[optind][0] == '-' && argv[optind][1] == '-' && argv[optind][2]) {
        const char *word = argv[optind] + 2;
        size_t length = 0;
        while (word[length] && word[length] != '=') ++length;
        ++optind;
        optarg = nullptr;
        for (int i = 0; options && options[i].name; ++i) {
            if (strlen(options[i].name) != length || strncmp(options[i].name, word, length) != 0) continue;
            if (index) *index = i;
            if (options[i].has_arg != no_argument && word[length] == '=') optarg = (char *)word + length + 1;
            else if (options[i].has_arg == required_argument && optind < argc) optarg = argv[optind++];
            if (options[i].has_arg == required_argument && !optarg) {
                if (opterr) fprintf(stderr, "%s: option '--%s' requires an argument\n", argv[0], options[i].name);
                return '?';
            }
            if (!options[i].flag) return options[i].val;
            *options[i].flag = options[i].val;
            return 0;
        }
        if (opterr) fprintf(stderr, "%s: unrecognized option '--%s'\n", argv[0], word);
        return '?';
    }
    return getopt(argc, argv, letters);
}
