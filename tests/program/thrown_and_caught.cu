// exit: unsupported
// modelled: it ends where this tool lacks exceptions
// What a handler would get is what the tool lacks; handlers of any form compile.
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
