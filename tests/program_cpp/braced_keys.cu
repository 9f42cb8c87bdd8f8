// Keys in braces, as where blocks of memory are kept by size and address.
#include <cstdio>
#include <map>
#include <set>
#include <utility>

int main() {
    std::set<std::pair<size_t, int>> blocks{{512, 3}, {512, 7}, {1024, 1}};
    auto fit = blocks.lower_bound({512, 4});
    printf("%zu at %d, %zu, %d\n", fit->first, fit->second, blocks.count({1024, 1}), blocks.contains({1024, 2}));
    std::map<std::pair<int, int>, const char *> names{{{0, 1}, "left"}, {{1, 0}, "down"}};
    printf("%s, %s\n", names.find({1, 0})->second, names.find({2, 2}) == names.end() ? "none" : "some");
    printf("%s\n", names.upper_bound({0, 1})->second);
    blocks.erase({512, 3});
    printf("%zu\n", blocks.size());
}
