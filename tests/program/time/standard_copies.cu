// Between pointers, std::copy() and its relatives take as long as memcpy().
// modelled: times of a real machine vary
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

template <class Act>
double nanoseconds(Act act) {
    auto begin = std::chrono::steady_clock::now();
    act();
    return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count();
}

struct Point {
    char kind;
    double x, y;
};

template <class T>
void compare(const char *what, size_t n) {
    std::vector<T> from(n), to(n);
    double bytes = nanoseconds([&] { memcpy(to.data(), from.data(), n * sizeof(T)); });
    double copied[] = {
        nanoseconds([&] { std::copy(from.begin(), from.end(), to.begin()); }),
        nanoseconds([&] { std::copy_n(from.data(), n, to.data()); }),
        nanoseconds([&] { std::move(from.begin(), from.end(), to.begin()); }),
        // Towards the front, copies may overlap.
        nanoseconds([&] { std::copy(to.begin() + 1, to.end(), to.begin()); }),
    };
    printf("%s:", what);
    for (double one : copied) printf(" %.2f", one / bytes);
    printf("\n");
}

constexpr int known() {
    int from[3] = {1, 2, 3}, to[3] = {};
    std::copy(from, from + 3, to);
    return to[0] + 10 * to[1] + 100 * to[2];
}

int main(int argc, char **) {
    size_t n = 50000 * argc;
    compare<char>("chars", n);
    compare<int>("ints", n);
    compare<Point>("structures", n);

    std::vector<int> numbers(n), set(n);
    for (size_t i = 0; i < n; i++) numbers[i] = i;
    double cleared = nanoseconds([&] { memset(set.data(), 0, n * sizeof(int)); });
    printf("set: %.2f\n", nanoseconds([&] { std::fill_n(set.data(), n, 7); }) / cleared);
    std::copy(numbers.begin() + 3, numbers.end(), numbers.begin());
    printf("%d %d %zu, %d", numbers[0], numbers[n - 4], n - numbers[n - 1], set[n - 1]);
    static_assert(known() == 321, "also while it is compiled");
    std::vector<long long> wide(n);
    std::copy(numbers.begin(), numbers.end(), wide.begin());
    printf(", %lld\n", wide[9]);
}
