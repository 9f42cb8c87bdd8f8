// A sum that begins with no value is printed, behind a print of values that the same memory was packed with.
#include <cstdio>

int sum(int n) {
    int total;
    for (int i = 0; i < n; i++) total += i;
    return total;
}

int main() {
    for (int i = 0; i < 2; i++) printf("%d %d\n", i, 7);
    printf("%d\n", sum(4)); //~ I001
    printf("%d %g\n", 3, 2.5);
}
