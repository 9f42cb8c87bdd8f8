// fopen() returns a null pointer where it fails, and reading from that is no end of a file.
// exit: stopped
#include <stdio.h>

int main() {
    FILE *first = fopen("notes.txt", "w");
    fputs("there\n", first);
    fclose(first);
    FILE *again = fopen("notes.txt", "wx");
    printf("%d\n", again == nullptr);
    char line[8] = "";
    fgets(line, sizeof(line), again); //~ H005
    printf("%s", line);
}
