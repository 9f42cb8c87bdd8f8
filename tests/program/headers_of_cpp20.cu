// exit: unsupported
// modelled: it uses C++20, which this tool lacks
#include <cstdio>
#include <span>

int sum(std::span<const int> values) {
    int total = 0;
    for (int value : values) total += value;
    return total;
}

int main() {
    int values[] = {1, 2, 3};
    printf("%d\n", sum(values));
}
