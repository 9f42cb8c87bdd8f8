#include <cstdio>
#include <tuple>
#include <utility>

std::tuple<int, double, const char *> three() { return {1, 2.5, "three"}; }

template <size_t... i>
void show(std::index_sequence<i...>) {
    ((printf("%d ", (int)i)), ...);
    printf("\n");
}

struct Point {
    int x, y;
    Point(int x, int y) : x(x), y(y) {}
};

int main() {
    auto [a, b, c] = three();
    printf("%d %.1f %s\n", a, b, c);

    std::pair<int, char> p{3, 'x'};
    auto &[number, letter] = p;
    number = 7;
    printf("%d %c\n", p.first, letter);

    int x = 0;
    double y = 0;
    std::tie(x, y, std::ignore) = three();
    printf("%d %.1f\n", x, y);

    auto made = std::make_tuple(1, 'a', 2.0f);
    std::get<0>(made) += 4;
    printf("%d %c %.1f %zu\n", std::get<int>(made), std::get<1>(made), std::get<2>(made),
           std::tuple_size<decltype(made)>::value);

    auto joined = std::tuple_cat(made, std::make_pair(9L, true), std::make_tuple());
    printf("%ld %d\n", std::get<3>(joined), (int)std::get<4>(joined));

    printf("%d\n", std::apply([](int i, int j, int k) { return i * 100 + j * 10 + k; }, std::make_tuple(1, 2, 3)));
    printf("%d %d %d\n", std::make_tuple(1, 2) < std::make_tuple(1, 3), std::make_pair(2, 1) < std::make_pair(1, 9),
           std::make_tuple(1, 2) == std::make_tuple(1, 2));
    show(std::make_index_sequence<5>());

    int left = 1, right = 2;
    std::swap(left, right);
    int before = std::exchange(left, 10);
    printf("%d %d %d\n", left, right, before);

    std::pair<Point, int> built(std::piecewise_construct, std::forward_as_tuple(4, 5), std::forward_as_tuple(6));
    printf("%d %d %d\n", built.first.x, built.first.y, built.second);
    auto [px, py] = std::make_from_tuple<Point>(std::make_tuple(8, 9));
    printf("%d %d\n", px, py);
    std::pair deduced(1, 2.5);
    printf("%.1f\n", deduced.second);
}
