// exit: 134
// Nothing catches it: the program ends as it ends everywhere.
#include <cstdio>
#include <stdexcept>

int main() {
    try {
        printf("fine\n");
    } catch (...) {
        return 1;
    }
    fflush(stdout);
    throw std::runtime_error("not caught");
}
