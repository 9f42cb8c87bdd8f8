#include <cstdio>

int main() {
    // #include <chrono> is what is missing.
    auto start = std::chrono::steady_clock::now();
    printf("%d\n", start == start);
}
