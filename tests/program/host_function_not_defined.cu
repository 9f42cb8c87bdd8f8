// exit: undefined _Z5scalef
// A function is defined under another name than it is declared and called by.
#include <cstdio>

float scale(float x);
float scael(float x) { return 2 * x; }

int main() {
    printf("%g\n", scael(3));
    printf("%g\n", scale(3));
}
