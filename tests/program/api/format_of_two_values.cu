// The format asks for two values, and one is passed, behind a call that packed two.
// exit: stopped
#include <cstdio>

int main() {
    int rows = 3, columns = 4;
    printf("%d rows, %d columns\n", rows, columns);
    printf("%d of %d done\n", rows); //~ I003
}
