// One element of a local array is never set, and printed.
#include <cstdio>

int main() {
    int values[4];
    for (int i = 0; i < 3; i++) values[i] = i * i;
    int n = 4;
    printf("%d %d\n", values[1], values[n - 1]); //~ I001
}
