// What the usual C++ library's headers include, programs rely on.
#include <cstdio>
#include <functional>
#include <random>

int main() {
    std::vector<int> v(4);
    std::iota(v.begin(), v.end(), 1);
    std::function<int(int)> twice = [](int x) { return 2 * x; };
    printf("%d\n", twice(std::accumulate(v.begin(), v.end(), 0)));
}
