// The less common members of containers: many elements at once, what moves between containers, from the back.

#include <array>
#include <cstdio>
#include <deque>
#include <forward_list>
#include <functional>
#include <list>
#include <map>
#include <queue>
#include <set>
#include <stack>
#include <string>
#include <unordered_map>
#include <vector>

template <class C>
static void show(const char *name, const C &items) {
    printf("%s:", name);
    for (const auto &item : items) printf(" %d", item);
    printf("\n");
}

static void sets() {
    std::set<int> low{1, 2, 3, 5}, more{3, 4, 5, 6};
    low.merge(more);
    show("low", low);
    show("left", more);
    for (auto it = low.crbegin(); it != low.crend(); ++it) printf("%d ", *it);
    const std::set<int> &fixed = low;
    auto range = fixed.equal_range(4);
    printf("%d %d\n", *range.first, *range.second);
    std::multiset<int> all{2, 1};
    all.merge(std::multiset<int>{2, 3});
    show("all", all);
    printf("%d%d%d%d\n", low > more, low >= low, more <= low, low.value_comp()(1, 2));
}

static void maps() {
    std::multimap<std::string, int, std::greater<>> by_name(std::greater<>{});
    by_name.insert({"b", 1});
    by_name.emplace("c", 2);
    by_name.insert({{"a", 3}, {"b", 4}});
    std::multimap<std::string, int> upwards(by_name.begin(), by_name.end());
    for (auto &item : by_name) printf("%s%d ", item.first.c_str(), item.second);
    for (auto &item : upwards) printf("%s%d ", item.first.c_str(), item.second);
    printf("\n");
    std::map<int, std::string> first{{1, "one"}, {2, "two"}}, second{{2, "zwei"}, {3, "drei"}};
    first.merge(second);
    for (auto &item : first) printf("%d=%s ", item.first, item.second.c_str());
    printf("%zu %d\n", second.size(), first.value_comp()(*first.begin(), *first.rbegin()));
    std::unordered_map<int, int> counts{{1, 10}}, others{{1, 11}, {2, 20}};
    counts.merge(others);
    auto found = counts.equal_range(2);
    printf("%zu %zu %d %d\n", counts.size(), others.size(), found.first->second, found.second == counts.end());
    printf("%d %d\n", counts.bucket(1) == counts.hash_function()(1) % counts.bucket_count(), counts.key_eq()(1, 1));
    std::swap(counts, others);
    printf("%zu %d\n", counts.size(), others.at(1));
}

static void sequences() {
    std::deque<int> ring{1, 2, 3};
    ring.insert(ring.begin() + 1, 2, 7);
    int more[] = {8, 9};
    ring.insert(ring.end() - 1, more, more + 2);
    ring.insert(ring.begin(), {4, 5});
    ring.emplace(ring.begin() + 1, 6);
    show("ring", ring);
    ring.resize(12, -1);
    for (auto it = ring.crbegin(); it != ring.crend(); ++it) printf("%d ", *it);
    ring.assign({3, 2, 1});
    ring.shrink_to_fit();
    show("ring", ring);

    std::list<int> chain, other{6, 7, 8};
    chain.assign(2, 1);
    chain.insert(chain.end(), {2, 2, 3});
    auto at = chain.insert(chain.begin(), 2, 9);
    printf("%d ", *at);
    chain.splice(std::next(chain.begin(), 2), other, other.begin(), std::prev(other.end()));
    show("chain", chain);
    show("other", other);
    chain.unique([](int a, int b) { return a == b || a + b == 15; });
    chain.resize(8, 4);
    show("chain", chain);
    chain.merge(std::list<int>{0, 100});
    for (auto it = chain.crbegin(); it != chain.crend(); ++it) printf("%d ", *it);
    printf("\n");

    std::forward_list<int> single{3, 1, 2, 2}, rest{9, 8};
    single.emplace_front(5);
    single.insert_after(single.before_begin(), {7, 6});
    single.sort(std::greater<int>());
    single.unique();
    show("single", single);
    single.remove(5);
    single.remove_if([](int x) { return x == 7; });
    rest.sort();
    single.reverse();
    single.merge(rest);
    show("single", single);
    single.erase_after(single.begin(), single.end());
    single.splice_after(single.begin(), std::forward_list<int>(2, 4));
    single.resize(4, 6);
    show("single", single);
    printf("%d\n", rest.empty());
}

static void adaptors() {
    std::queue<int> a, b;
    a.push(1);
    b.push(1);
    printf("%d", a == b);
    b.push(2);
    printf("%d", a != b);
    std::stack<int, std::vector<int>> high, low;
    high.push(2);
    low.push(1);
    std::swap(high, low);
    printf(" %d %d\n", high.top(), low.top());
    std::priority_queue<int> largest, none;
    largest.push(3);
    largest.swap(none);
    printf("%zu %d\n", largest.size(), none.top());
    std::array<int, 3> three{1, 2, 3}, four{1, 2, 4};
    printf("%d%d%d %d\n", three > four, three <= four, four >= three, *four.crbegin());
}

int main() {
    sets();
    maps();
    sequences();
    adaptors();
}
