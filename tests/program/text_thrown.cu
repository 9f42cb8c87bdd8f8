// exit: 134
// A text in a `throw` is its value: alone, in parentheses, a character.
#include <cstdio>

void check(int n) {
    if (n == 1) throw 'c';
    if (n == 2) throw("in parentheses");
    if (n == 3) throw "alone";
    printf("%d\n", n);
}

int main() {
    for (int n = 0; n > -3; n--) check(n);
    fflush(stdout);
    check(3);
}
