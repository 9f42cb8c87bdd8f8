// getopt over arguments of the program's own.
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

int main() {
    const char *words[] = {"program", "-v", "-n", "5", "-abfile", "--", "rest", NULL};
    int letter;
    while ((letter = getopt(7, (char **)words, "vn:ab:")) != -1) {
        printf("%c %s\n", letter, optarg ? optarg : "-");
    }
    printf("%s\n", words[optind]);
    const char *longer[] = {"program", "--size=10", "--verbose", "--name", "x", NULL};
    int verbose = 0, index;
    option options[] = {{"size", required_argument, NULL, 's'},
                        {"verbose", no_argument, &verbose, 1},
                        {"name", required_argument, NULL, 'n'},
                        {NULL, 0, NULL, 0}};
    optind = 1;
    while ((letter = getopt_long(5, (char **)longer, "s:", options, &index)) != -1) {
        printf("%d %s %s\n", letter, options[index].name, optarg ? optarg : "-");
    }
    printf("%d %d\n", verbose, optind);
    return 0;
}

//~ exits: 0
//> v -
//> n 5
//> a -
//> b file
//> rest
//> 115 size 10
//> 0 verbose -
//> 110 name x
//> 1 5
