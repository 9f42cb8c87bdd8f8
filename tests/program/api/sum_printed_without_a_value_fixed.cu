// The sum begins with 0.
#include <cstdio>

int sum(int n) {
    int total = 0;
    for (int i = 0; i < n; i++) total += i;
    return total;
}

int main() {
    for (int i = 0; i < 2; i++) printf("%d %d\n", i, 7);
    printf("%d\n", sum(4));
    printf("%d %g\n", 3, 2.5);
}
