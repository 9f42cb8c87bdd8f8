// Host elements are moved one place up by memmove(); a loop that repeats the first is meant so.
#include <cstdio>
#include <cstring>

int main(int count, char **) {
    const int n = 256;
    int x[n], y[n];
    for (int i = 0; i < n; i++) x[i] = i;
    memmove(x + 1, x, (n - count) * sizeof(int));
    memcpy(y, x, n * count * sizeof(int));
    for (int i = count; i < n; i++) y[i] = y[i - 1];
    printf("%d %d %d\n", x[0], x[255], y[255]);
}
