// exit: unsupported
// modelled: it ends where this tool lacks exceptions
// The destructor would print before the handler does.
#include <cstdio>
#include <stdexcept>

struct Step {
    ~Step() { puts("step over"); }
};

void work(int n) {
    Step step;
    if (n > 0) throw std::runtime_error("too many");
}

int main(int argc, char **) {
    puts("begun");
    try {
        work(argc);
    } catch (const std::exception &e) {
        puts(e.what());
        return 1;
    }
}
