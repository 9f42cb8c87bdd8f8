// Host elements are moved one place up by memcpy().
#include <cstdio>
#include <cstring>

int main(int count, char **) {
    const int n = 256;
    int x[n];
    for (int i = 0; i < n; i++) x[i] = i;
    memcpy(x + 1, x, (n - count) * sizeof(int)); //~ A014
    printf("%d\n", x[0]);
}
