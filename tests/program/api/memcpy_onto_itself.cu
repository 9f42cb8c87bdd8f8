// Elements are moved one place up within their vector, by the host: memcpy() may not overlap.
#include <cstdio>
#include <cstring>
#include <vector>

int main(int argc, char **) {
    int count = 49 + argc;
    std::vector<int> values(100);
    for (int i = 0; i < 100; i++) values[i] = i;
    memcpy(&values[1], &values[0], count * sizeof(int)); //~ A014
    printf("moved\n");
    return 0;
}
