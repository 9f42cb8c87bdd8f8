#include <algorithm>
#include <cstdio>
#include <deque>
#include <forward_list>
#include <functional>
#include <list>
#include <queue>
#include <stack>
#include <string>
#include <vector>

template <class C>
void show(const char *name, const C &c) {
    printf("%s:", name);
    for (const auto &x : c) printf(" %d", (int)x);
    printf("\n");
}

int main() {
    std::deque<int> d;
    for (int i = 0; i < 12; ++i) i % 2 ? d.push_front(i) : d.push_back(i);
    show("deque", d);
    d.pop_front();
    d.pop_back();
    d.insert(d.begin() + 3, 77);
    d.erase(d.begin());
    std::sort(d.begin(), d.end());
    show("deque", d);
    printf("%d %d %zu %d\n", d.front(), d.back(), d.size(), d[4]);
    std::deque<std::string> texts(2, "long enough not to fit inside");
    texts.emplace_front("first");
    auto copy = texts;
    copy.clear();
    printf("%s %zu %zu\n", texts[0].c_str(), texts.size(), copy.size());

    std::list<int> l = {4, 2, 9, 2, 7};
    l.push_front(1);
    l.sort();
    l.unique();
    show("list", l);
    l.remove_if([](int x) { return x > 8; });
    std::list<int> more = {3, 5};
    l.merge(more);
    l.reverse();
    show("list", l);
    auto it = std::find(l.begin(), l.end(), 5);
    l.insert(it, 55);
    l.erase(it);
    l.splice(l.begin(), l, std::prev(l.end()));
    show("list", l);
    printf("%d %d %zu %zu\n", l.front(), l.back(), l.size(), more.size());

    std::forward_list<int> f = {1, 2, 3};
    f.push_front(0);
    f.reverse();
    show("forward", f);

    std::stack<int> s;
    for (int i = 0; i < 5; ++i) s.push(i * i);
    s.pop();
    printf("%d %zu\n", s.top(), s.size());
    std::queue<int> q;
    for (int i = 0; i < 20; ++i) {
        q.push(i);
        if (i % 3 == 0) q.pop();
    }
    printf("%d %d %zu\n", q.front(), q.back(), q.size());
    std::priority_queue<int> most;
    std::priority_queue<std::pair<int, int>, std::vector<std::pair<int, int>>, std::greater<>> least;
    for (int x : {5, 1, 8, 3}) {
        most.push(x);
        least.emplace(x, -x);
    }
    while (!most.empty()) {
        printf("%d/%d ", most.top(), least.top().second);
        most.pop();
        least.pop();
    }
    printf("\n");
}
