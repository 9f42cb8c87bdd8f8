#include <cstdio>
#include <string>
#include <vector>

struct Counted {
    static int alive;
    int value;
    Counted(int v = 0) : value(v) { ++alive; }
    Counted(const Counted &o) : value(o.value) { ++alive; }
    Counted(Counted &&o) noexcept : value(o.value) { o.value = -1, ++alive; }
    Counted &operator=(const Counted &) = default;
    Counted &operator=(Counted &&o) noexcept {
        value = o.value;
        o.value = -1;
        return *this;
    }
    ~Counted() { --alive; }
};
int Counted::alive = 0;

template <class V>
void show(const char *name, const V &v) {
    printf("%s:", name);
    for (const auto &x : v) printf(" %d", int(x));
    printf(" (%zu)\n", v.size());
}

int main() {
    std::vector<int> a;
    for (int i = 0; i < 10; ++i) {
        a.push_back(i * i);
        printf("%zu ", a.capacity());
    }
    printf("\n");
    show("a", a);
    a.insert(a.begin() + 2, 100);
    a.insert(a.end(), 3, 7);
    a.insert(a.begin(), {-1, -2});
    show("inserted", a);
    a.erase(a.begin());
    a.erase(a.begin() + 1, a.begin() + 3);
    show("erased", a);
    a.resize(4);
    a.resize(6);
    a.resize(8, 5);
    show("resized", a);
    a.push_back(a[0]);
    a.insert(a.begin(), a.back());
    show("self", a);
    printf("%d %d %d\n", a.front(), a.back(), a.at(2));
    std::vector<int> b(a.rbegin(), a.rend());
    show("reversed", b);
    std::vector<float> f(3), g(2, 1.5f);
    printf("%.1f %.1f %zu\n", f[2], g[1], f.capacity());
    f = std::move(g);
    printf("%zu %zu\n", f.size(), g.size());
    printf("%d %d %d\n", a == b, a != b, std::vector<int>{1, 2} < std::vector<int>{1, 3});
    {
        std::vector<Counted> c(3, Counted(4));
        for (int i = 0; i < 5; ++i) c.emplace_back(i);
        c.insert(c.begin() + 1, Counted(50));
        c.erase(c.begin() + 4);
        printf("%d alive:", Counted::alive);
        for (auto &x : c) printf(" %d", x.value);
        printf("\n");
        std::vector<Counted> d = c;
        d.pop_back();
        d.resize(3);
        c = d;
        printf("%d alive\n", Counted::alive);
        c.assign(2, Counted(9));
        swap(c, d);
        c.clear();
        c.shrink_to_fit();
        printf("%d alive %zu\n", Counted::alive, c.capacity());
    }
    printf("%d alive\n", Counted::alive);

    std::vector<std::vector<int>> rows(3, std::vector<int>(2, 1));
    rows[1][1] = 8;
    rows.push_back({4, 5, 6});
    for (auto &row : rows) show("row", row);
    std::vector<std::string> words = {"one", "two", "a rather long word that is not inside"};
    words.insert(words.begin(), "zero");
    words.emplace_back(3, 'x');
    for (const std::string &word : words) printf("[%s]", word.c_str());
    printf("\n");

    std::vector<bool> bits(5, true);
    bits[2] = false;
    bits.push_back(bits[2]);
    bits.flip();
    show("bits", bits);
    int set = 0;
    for (bool bit : bits) set += bit;
    printf("%d set\n", set);

    std::vector copied(a);
    const int *p = copied.data();
    printf("%d %d\n", p[0], copied.empty());
    try {
        printf("%d\n", copied.at(3));
    } catch (const std::exception &e) {
        printf("never: %s\n", e.what());
    }
}
