#include <algorithm>
#include <array>
#include <cstdio>
#include <numeric>

constexpr std::array<int, 4> table = {1, 2, 3, 4};
static_assert(table.size() == 4 && table[2] == 3);

struct Vec3 {
    std::array<float, 3> v;
};

int main() {
    std::array<int, 5> a = {5, 3, 1};
    std::sort(a.begin(), a.end());
    for (int x : a) printf("%d ", x);
    printf("\n%d %d %d\n", a.front(), a.back(), std::accumulate(table.begin(), table.end(), 0));
    a.fill(7);
    std::array b = {1, 2, 3};
    auto [x, y, z] = b;
    printf("%d %d %d %d\n", a[3], x, y, z);
    std::array<std::array<int, 2>, 2> m = {{{1, 2}, {3, 4}}};
    printf("%d %zu %zu\n", m[1][0], m.size(), sizeof m);
    std::array<int, 3> c = b;
    c[0] = 9;
    printf("%d %d %d\n", b == c, b < c, std::get<0>(c));
    swap(b, c);
    printf("%d %d\n", b.at(0), *c.rbegin());
    Vec3 v = {{1.0f, 2.0f, 3.0f}};
    printf("%.1f\n", v.v[1]);
    printf("%d\n", std::array<int, 0>().empty());
}
