#include <algorithm>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

int twice(int x) { return 2 * x; }
struct Adder {
    int by;
    int add(int x) const { return x + by; }
    int operator()(int x) const { return x + by; }
};

int main() {
    std::function<int(int)> f = twice;
    printf("%d\n", f(4));
    int base = 10;
    f = [&base](int x) { return x + base; };
    base = 20;
    std::function<int(int)> g = f;
    printf("%d %d\n", g(1), bool(g));
    g = nullptr;
    printf("%d\n", g == nullptr);
    f = Adder{100};
    printf("%d\n", f(1));
    std::vector<std::function<void()>> tasks;
    std::string log;
    for (int i = 0; i < 3; ++i) tasks.push_back([i, &log] { log += std::to_string(i); });
    for (auto &task : tasks) task();
    printf("%s\n", log.c_str());
    std::function<int(int)> fibonacci = [&](int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); };
    printf("%d\n", fibonacci(12));
    auto minus = std::bind(std::minus<int>(), std::placeholders::_2, std::placeholders::_1);
    printf("%d\n", minus(3, 10));
    auto plus5 = std::bind(std::plus<int>(), std::placeholders::_1, 5);
    printf("%d\n", plus5(1));
    Adder adder{7};
    auto add = std::mem_fn(&Adder::add);
    printf("%d %d %d\n", add(adder, 1), std::invoke(&Adder::add, &adder, 2), std::invoke(&Adder::by, adder));
    int counter = 0;
    auto count = [](int &c) { ++c; };
    std::bind(count, std::ref(counter))();
    printf("%d\n", counter);
    std::reference_wrapper<int> r = counter;
    r.get() = 9;
    printf("%d %d %d\n", counter, std::less<>()(1, 2), std::not_fn([](int x) { return x > 0; })(1));
    printf("%zu %zu\n", std::hash<int>()(42), std::hash<std::string>()("a string to hash, longer than eight"));
    printf("%zu %zu\n", std::hash<double>()(1.5), std::hash<float>()(0.0f));
}
