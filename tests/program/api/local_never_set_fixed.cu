// Every element of the array is set.
#include <cstdio>

int main() {
    int values[4];
    for (int i = 0; i < 4; i++) values[i] = i * i;
    int n = 4;
    printf("%d %d\n", values[1], values[n - 1]);
}
