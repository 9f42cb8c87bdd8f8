// memmove() and mempcpy() take as long as memcpy() does.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

using Clock = std::chrono::steady_clock;

template <class Move>
double seconds_of(Move move) {
    auto start = Clock::now();
    move();
    return std::chrono::duration<double>(Clock::now() - start).count();
}

int main() {
    const size_t bytes = 4 << 20;
    char *from = (char *)malloc(bytes), *to = (char *)malloc(bytes);
    memset(from, 1, bytes);
    double copied = seconds_of([=] { memcpy(to, from, bytes); });
    double moved = seconds_of([=] { memmove(to, from, bytes); });
    double passed = seconds_of([=] { mempcpy(to, from, bytes); });
    printf("%d %d\n", moved > copied / 2 && moved < copied * 2, passed > copied / 2 && passed < copied * 2);
    free(from);
    free(to);
}
