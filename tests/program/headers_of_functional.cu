// <functional> brings <algorithm>, <array> and <unordered_map> in the usual C++ library.
#include <cstdio>
#include <functional>

int main() {
    std::array<int, 5> values = {4, 1, 5, 2, 3};
    std::sort(values.begin(), values.end(), std::greater<int>());
    std::unordered_map<int, int> place;
    for (int i = 0; i < 5; i++) place[values[i]] = i;
    printf("%d %d %d %d\n", values[0], values[4], place[4], *std::max_element(values.begin() + 1, values.end()));
}
