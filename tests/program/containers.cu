// The C++ library around one kernel.
#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <iomanip>
#include <iostream>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <sstream>
#include <string>
#include <vector>

__global__ void cube(double *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = x[i] * x[i] * x[i];
}

struct Deleter {
    void operator()(double *p) const { cudaFree(p); }
};

int main() {
    std::mt19937 generator(42);
    std::vector<double> x(1000);
    std::generate(x.begin(), x.end(), [&] { return static_cast<double>(generator() % 100); });
    auto start = std::chrono::steady_clock::now();
    double *raw;
    cudaMalloc(&raw, x.size() * sizeof(double));
    std::unique_ptr<double, Deleter> d(raw);
    cudaMemcpy(d.get(), x.data(), x.size() * sizeof(double), cudaMemcpyHostToDevice);
    cube<<<4, 256>>>(d.get(), (int)x.size());
    std::vector<double> y(x.size());
    cudaMemcpy(y.data(), d.get(), y.size() * sizeof(double), cudaMemcpyDeviceToHost);
    std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
    std::transform(x.begin(), x.end(), x.begin(), [](double v) { return v * v * v; });
    std::cout << std::boolalpha << "equal: " << (x == y) << ", took some time: " << (took.count() > 0) << std::endl;
    std::cout << std::fixed << std::setprecision(1) << "sum " << std::accumulate(y.begin(), y.end(), 0.0) << "\n";
    std::map<std::string, int> counts;
    for (double v : y) counts[v > 500000 ? "large" : v > 1000 ? "middle" : "small"]++;
    for (const auto &[name, count] : counts) std::cout << std::setw(8) << name << ' ' << count << '\n';
    std::array<int, 4> order = {3, 1, 2, 0};
    std::sort(order.begin(), order.end(), std::greater<int>());
    std::ostringstream text;
    for (int v : order) text << v << (v ? "," : "");
    std::cout << text.str() << " " << std::hex << 255 << std::endl;
    std::function<int(int)> twice = [](int v) { return 2 * v; };
    std::cout << std::dec << twice(21) << std::endl;
    return 0;
}
