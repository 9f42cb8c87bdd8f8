// exit: unsupported
// modelled: it ends where this tool lacks exceptions
// Behind the handler main would go on, which the tool lacks.
#include <cstdio>
#include <stdexcept>

int half(int x) {
    if (x % 2) throw std::invalid_argument("odd");
    return x / 2;
}

int main() {
    int sum = 0;
    try {
        sum += half(4);
        printf("%d\n", sum);
        sum += half(3);
    } catch (std::exception &e) {
        printf("%s\n", e.what());
    }
    printf("%d\n", sum);
}
