// clock() counts in steps of CLOCKS_PER_SEC, as other clocks do.
#include <chrono>
#include <cstdio>
#include <ctime>

int main() {
    auto begin = std::chrono::steady_clock::now();
    clock_t start = clock();
    long long sum = 0;
    for (int k = 0; k < 1000000; k++) sum += k ^ sum >> 1;
    double ticks = double(clock() - start) / CLOCKS_PER_SEC;
    double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    printf("%s\n", ticks > 0 && ticks < 1.01 * seconds && ticks > 0.9 * seconds ? "the same" : "another time");
    return sum == -1;
}
