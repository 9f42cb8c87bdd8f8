#include <algorithm>
#include <cstdio>
#include <numeric>
#include <functional>
#include <random>
#include <string>
#include <vector>

template <class V>
void show(const char *name, const V &v) {
    printf("%s:", name);
    for (const auto &x : v) printf(" %d", (int)x);
    printf("\n");
}
struct Item {
    int key, order;
};

int main() {
    std::vector<int> v(100);
    unsigned x = 12345;
    for (int &e : v) e = (x = x * 1103515245 + 12345) >> 16 & 63;
    std::vector<int> a = v;
    std::sort(a.begin(), a.end());
    show("sorted", a);
    std::sort(a.begin(), a.end(), std::greater<int>());
    printf("%d %d %d\n", a[0], a[99], (int)std::is_sorted(a.rbegin(), a.rend()));
    std::vector<Item> items(60);
    for (int i = 0; i < 60; ++i) items[i] = {v[i] / 8, i};
    auto stable = items;
    std::sort(items.begin(), items.end(), [](const Item &p, const Item &q) { return p.key < q.key; });
    for (auto &i : items) printf("%d/%d ", i.key, i.order);
    printf("\n");
    std::stable_sort(stable.begin(), stable.end(), [](const Item &p, const Item &q) { return p.key < q.key; });
    for (auto &i : stable) printf("%d/%d ", i.key, i.order);
    printf("\n");
    a = v;
    std::partial_sort(a.begin(), a.begin() + 10, a.end());
    a.resize(10);
    show("partial", a);
    a = v;
    std::nth_element(a.begin(), a.begin() + 50, a.end());
    printf("median %d\n", a[50]);
    show("nth", a);
    a.resize(12);
    std::make_heap(a.begin(), a.end());
    show("heap", a);
    std::pop_heap(a.begin(), a.end());
    a.back() = 33;
    std::push_heap(a.begin(), a.end());
    show("heap", a);
    std::sort_heap(a.begin(), a.end());
    a.erase(std::unique(a.begin(), a.end()), a.end());
    show("unique", a);
    printf("%d %d %d\n", *std::lower_bound(a.begin(), a.end(), 20), *std::upper_bound(a.begin(), a.end(), 33),
           std::binary_search(a.begin(), a.end(), 33));
    printf("%d %d %d\n", *std::min_element(v.begin(), v.end()), (int)(std::max_element(v.begin(), v.end()) - v.begin()),
           (int)(std::minmax_element(v.begin(), v.end()).second - v.begin()));
    printf("%d %d %d %d\n", std::min(3, 2), std::max({4, 9, 2}), std::clamp(15, 0, 10), std::minmax(5, 4).first);
    printf("%d %d\n", (int)std::count(v.begin(), v.end(), v[0]), (int)std::count_if(v.begin(), v.end(), [](int e) { return e % 2; }));
    printf("%d %d %d\n", std::all_of(v.begin(), v.end(), [](int e) { return e >= 0; }),
           std::any_of(v.begin(), v.end(), [](int e) { return e > 70; }), std::none_of(v.begin(), v.end(), [](int e) { return e < 0; }));
    std::vector<float> f(5), g(5);
    std::fill(f.begin(), f.end(), 1.5f);
    std::iota(g.begin(), g.end(), 1.0f);
    std::transform(f.begin(), f.end(), g.begin(), f.begin(), [](float p, float q) { return p * q; });
    std::transform(g.begin(), g.end(), g.begin(), [](float p) { return p * p; });
    printf("%.1f %.1f %.1f\n", f[4], g[4], std::inner_product(f.begin(), f.end(), g.begin(), 0.0f));
    printf("%.1f %d %.1f\n", std::accumulate(f.begin(), f.end(), 0.0), std::accumulate(v.begin(), v.end(), 0),
           std::accumulate(g.begin(), g.end(), 1.0f, std::multiplies<float>()));
    printf("%d\n", std::equal(f.begin(), f.end(), g.begin(), [](float p, float q) { return p < q + 100; }));
    std::vector<int> scan(10), counts(10, 1);
    std::partial_sum(v.begin(), v.begin() + 10, scan.begin());
    show("partial_sum", scan);
    std::inclusive_scan(v.begin(), v.begin() + 10, scan.begin());
    show("inclusive", scan);
    std::exclusive_scan(v.begin(), v.begin() + 10, scan.begin(), 0);
    show("exclusive", scan);
    std::adjacent_difference(scan.begin(), scan.end(), counts.begin());
    show("differences", counts);
    printf("%d %d %d\n", std::reduce(counts.begin(), counts.end()), std::gcd(48, 36), std::lcm(4, 6));
    int n = 0;
    std::generate(counts.begin(), counts.end(), [&n] { return n += 3; });
    std::reverse(counts.begin(), counts.end());
    std::rotate(counts.begin(), counts.begin() + 3, counts.end());
    std::replace(counts.begin(), counts.end(), 30, -1);
    show("counts", counts);
    counts.erase(std::remove_if(counts.begin(), counts.end(), [](int e) { return e % 2; }), counts.end());
    show("even", counts);
    std::for_each(counts.begin(), counts.end(), [](int &e) { e /= 2; });
    std::copy_if(v.begin(), v.end(), std::back_inserter(counts), [](int e) { return e > 58; });
    show("appended", counts);
    auto split = std::partition(counts.begin(), counts.end(), [](int e) { return e < 10; });
    printf("%d\n", (int)(split - counts.begin()));
    std::mt19937 gen(7);
    std::shuffle(v.begin(), v.end(), gen);
    show("shuffled", v);
    std::vector<int> odd(v.begin(), v.begin() + 7);
    std::shuffle(odd.begin(), odd.end(), gen);
    show("shuffled", odd);
    std::minstd_rand small(3);
    std::shuffle(odd.begin(), odd.end(), small);
    show("shuffled", odd);
    std::string s = "abc";
    do printf("%s ", s.c_str());
    while (std::next_permutation(s.begin(), s.end()));
    printf("\n");
    int p[] = {1, 3, 5, 7}, q[] = {3, 4, 5}, out[8];
    show("union", std::vector<int>(out, std::set_union(p, p + 4, q, q + 3, out)));
    show("intersection", std::vector<int>(out, std::set_intersection(p, p + 4, q, q + 3, out)));
    show("merge", std::vector<int>(out, std::merge(p, p + 4, q, q + 3, out)));
    std::swap(p[0], p[3]);
    show("p", std::vector<int>(std::begin(p), std::end(p)));
    auto found = std::find(p, p + 4, 5);
    printf("%d %d\n", (int)(found - p), (int)std::distance(p, std::find_if(p, p + 4, [](int e) { return e > 100; })));
    std::vector<std::string> words = {"pear", "fig", "apple", "kiwi"};
    std::sort(words.begin(), words.end(), [](const auto &l, const auto &r) { return l.size() < r.size() || (l.size() == r.size() && l < r); });
    for (auto &w : words) printf("%s ", w.c_str());
    printf("\n");
}
