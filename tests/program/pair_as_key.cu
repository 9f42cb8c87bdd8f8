// An element of a map whose key is a pair that may not be changed.
#include <cstdio>
#include <map>
#include <utility>
int main() {
    std::map<std::pair<int, int>, int> m;
    const std::pair<int, int> k{1, 2};
    m[k] = 3;
    printf("%d\n", m.at(k));
}
