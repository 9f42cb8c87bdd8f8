// Variables with static storage whose type is deduced from a value that is computed at run time.
#include <chrono>
#include <cstdio>
#include <vector>

int squares(int n) { return n * n; }

auto begun = std::chrono::steady_clock::now();
const auto table = std::vector<int>(3, squares(4));

double ms() {
    using namespace std::chrono;
    static auto start = high_resolution_clock::now();
    auto now = high_resolution_clock::now();
    return duration<double, std::milli>(now - start).count();
}

int next() {
    static auto count = squares(3);
    return count++;
}

__global__ void work(int *out) { *out = 5; }

int main() {
    int *out;
    cudaMallocManaged(&out, sizeof(int));
    ms();
    work<<<1, 1>>>(out);
    cudaDeviceSynchronize();
    double passed = ms();
    bool later = std::chrono::steady_clock::now() > begun;
    printf("%d %d %d\n", *out, passed > 0 && passed < 1000, later);
    int first = next(), second = next();
    printf("%d %d %zu %d\n", first, second, table.size(), table[2]);
    cudaFree(out);
}
