// Elements are moved one place up within their vector, by memmove(), which may overlap; and an element is
// spread by a loop that means to read what it has just written.
#include <cstdio>
#include <cstring>
#include <vector>

int main(int argc, char **) {
    int count = 49 + argc;
    std::vector<int> values(100);
    for (int i = 0; i < 100; i++) values[i] = i;
    memmove(&values[1], &values[0], count * sizeof(int));
    printf("%d %d\n", values[1], values[50]);
    memcpy(&values[50], &values[0], count * sizeof(int));
    for (int i = 0; i < 99; i++) values[i + 1] = values[i];
    printf("%d\n", values[99]);
    return 0;
}
