// A handler of main that leaves it, or is the last that it does, runs where the exception is thrown.
#include <cstdio>
#include <stdexcept>

int half(int x) {
    if (x % 2) throw std::invalid_argument("odd");
    return x / 2;
}

int main() {
    try {
        printf("%d\n", half(4));
    } catch (const std::exception &) {
        return 1;
    } catch (...) {
        return 2;
    }
    try {
        half(3);
    } catch (std::exception &e) {
        printf("%s\n", e.what());
    }
}
