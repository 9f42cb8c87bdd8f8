// As many values are passed as the format asks for, in macros, too.
#include <cstdio>

#define BOTH rows, columns

int main() {
    int rows = 3, columns = 4;
    printf("%d rows, %d columns\n", rows, columns);
    printf("%d of %d done\n", rows, columns);
    printf("%d x %d, %*d\n", BOTH,
           columns, rows);
}
