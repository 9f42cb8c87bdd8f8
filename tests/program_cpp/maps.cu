#include <cstdio>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

struct Key {
    int x, y;
    bool operator==(const Key &o) const { return x == o.x && y == o.y; }
};
struct KeyHash {
    size_t operator()(const Key &k) const { return k.x * 31 + k.y; }
};

int main() {
    std::map<std::string, int> ages = {{"bob", 30}, {"alice", 25}};
    ages["carol"] = 41;
    ages["alice"]++;
    ages.insert({"dave", 7});
    ages.insert(std::make_pair("bob", 99));
    ages.emplace("erin", 12);
    for (const auto &[name, age] : ages) printf("%s=%d ", name.c_str(), age);
    printf("\n%zu %zu %d %d\n", ages.size(), ages.count("zoe"), ages.at("bob"), ages.find("zoe") == ages.end());
    ages.erase("bob");
    auto it = ages.find("carol");
    it = ages.erase(it);
    printf("%s %s\n", it->first.c_str(), ages.rbegin()->first.c_str());
    std::map<int, int> counts;
    unsigned x = 1;
    for (int i = 0; i < 2000; ++i) counts[(x = x * 1664525 + 1013904223) >> 22]++;
    long sum = 0, n = 0;
    int last = -1;
    bool ordered = true;
    for (auto &p : counts) {
        ordered &= p.first > last;
        last = p.first;
        sum += p.first * p.second;
        ++n;
    }
    printf("%d %ld %ld\n", ordered, sum, n);
    for (auto i = counts.begin(); i != counts.end();) i = i->first % 3 ? counts.erase(i) : std::next(i);
    printf("%zu %d %d\n", counts.size(), counts.lower_bound(100)->first, counts.upper_bound(300)->first);
    auto copied = counts;
    copied.clear();
    printf("%zu %zu %d\n", copied.size(), counts.size(), copied == counts);
    int back = 0;
    for (auto i = counts.end(); i != counts.begin();) back += (--i)->second;
    printf("%d\n", back);
    std::map<int, std::vector<int>, std::greater<int>> groups;
    for (int i = 0; i < 10; ++i) groups[i % 3].push_back(i);
    for (auto &[k, v] : groups) printf("%d:%zu:%d ", k, v.size(), v.back());
    printf("\n");
    std::multimap<int, char> many = {{1, 'a'}, {2, 'b'}, {1, 'c'}};
    for (auto &p : many) printf("%d%c ", p.first, p.second);
    printf("%zu\n", many.count(1));
    std::set<int> s = {5, 1, 3, 1};
    auto [where, fresh] = s.insert(4);
    printf("%d %d %d:", *where, fresh, s.insert(5).second);
    for (int v : s) printf(" %d", v);
    printf("\n");
    std::multiset<int> bag = {2, 2, 1};
    printf("%zu %zu %d\n", bag.size(), bag.count(2), *bag.begin());

    std::unordered_map<std::string, int> words;
    for (const char *w : {"the", "quick", "brown", "fox", "jumps", "over", "the", "lazy", "dog", "and", "the", "cat", "sat", "on"})
        words[w]++;
    for (const auto &[w, c] : words) printf("%s%d ", w.c_str(), c);
    printf("(%zu in %zu)\n", words.size(), words.bucket_count());
    std::unordered_map<int, int> squares;
    for (int i = 0; i < 40; ++i) squares[i * 7 - 100] = i * i;
    squares.erase(-100);
    squares.erase(squares.find(40));
    for (auto &[k, v] : squares) printf("%d:%d ", k, v);
    printf("(%zu)\n", squares.bucket_count());
    auto other = squares;
    printf("%d %zu\n", other == squares, other.count(5));
    for (auto &[k, v] : other) printf("%d ", k);
    printf("\n");
    std::unordered_set<int> seen = {3, 1, 4, 1, 5, 9, 2, 6};
    for (int v : seen) printf("%d ", v);
    seen.reserve(100);
    printf("(%zu)", seen.bucket_count());
    for (int v : seen) printf(" %d", v);
    printf("\n");
    std::unordered_map<Key, int, KeyHash> grid;
    grid[{1, 2}] = 3;
    printf("%d %zu %d\n", grid.at({1, 2}), grid.count({2, 1}), grid.find({0, 0}) == grid.end());
    std::unordered_map<int, std::unordered_map<int, double>> nested;
    nested[1][2] = 0.5;
    printf("%.1f %zu\n", nested[1][2], nested[3].size());
}
