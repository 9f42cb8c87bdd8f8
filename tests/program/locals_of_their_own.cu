// Two local variables that are both alive have places of their own, whatever is compiled in place.
#include <algorithm>
#include <iostream>
#include <optional>
#include <sstream>
#include <string>
#include <unordered_map>
#include <variant>
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/sort.h>

struct Config {
    float rate = 0.05f;
    std::optional<std::string> label;
};
using Value = std::variant<int, float, std::string>;

static std::string show(const Value &v) {
    return std::visit(
        [](const auto &x) {
            std::ostringstream s;
            s << x;
            return s.str();
        },
        v);
}

int main(int argc, char **argv) {
    thrust::host_vector<float> hx, hy;
    Config c;
    if (argc > 1) c.label = argv[1];
    thrust::device_vector<int> keys{5, 3, 9, 1};
    thrust::sort(keys.begin(), keys.end(), thrust::greater<int>());
    std::vector<int> out(keys.size());
    thrust::copy(keys.begin(), keys.end(), out.begin());
    std::unordered_map<std::string, Value> facts{
        {"n", int(hx.size())}, {"rate", c.rate}, {"name", std::string("sgd")}};
    std::vector<std::string> names;
    for (const auto &kv : facts) names.push_back(kv.first);
    std::sort(names.begin(), names.end());
    for (const auto &n : names) std::cout << n << '=' << show(facts.at(n)) << ' ';
    for (int k : out) std::cout << k << (k == out.back() ? "\n" : ",");
}
