// getline() of the C library, which makes room for the line.
// stdin: short\na line that is longer, and longer than the hundred and twenty bytes that a first line is given as room for it at first here\nlast
#include <stdio.h>
#include <stdlib.h>

int main() {
    char *line = NULL;
    size_t room = 0;
    ssize_t n;
    while ((n = getline(&line, &room, stdin)) > 0) printf("%zd %c\n", n, line[n - 1] == '\n' ? line[n - 2] : line[n - 1]);
    free(line);
}
