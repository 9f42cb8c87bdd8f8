// A list in braces, which is an argument, ends with a lambda.
#include <cstdio>
#include <functional>
#include <vector>

struct Test {
    int number;
    std::function<void()> run;
};

int main() {
    std::vector<Test> tests;
    tests.push_back({1, [&]() { printf("one\n"); }});
    for (auto &test : tests) test.run();
}
