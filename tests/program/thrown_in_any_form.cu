// `throw` is an expression: with one name in its parentheses, in a condition, alone in a handler, in a macro, as the body of a
// function; a handler without a name hides none of the program's.
#include <cstdio>
#include <stdexcept>
#include <string>
#include <cuda_runtime.h>

#define CHECK(call)                                                                                       \
    do {                                                                                                  \
        cudaError_t error = call;                                                                         \
        if (error) throw std::runtime_error(cudaGetErrorString(error));                                   \
    } while (0)

struct Error {
    int code;
    explicit Error(int c) : code(c) {}
};

void check(int code) {
    if (code) throw Error(code);
}

[[noreturn]] void fail(const std::string &msg) { throw std::runtime_error(msg); }

int positive(int x) { return x > 0 ? x : throw std::invalid_argument("not positive"); }

std::string named(const std::string &name) { return name.empty() ? throw Error(1) : name; }

const char *word(bool is_short) {
    if (is_short) return "a";
    throw std::logic_error{"no word"};
}

struct Buffer {
    int *data, size;
    Buffer(int n) try : data{nullptr}, size(n) {
        CHECK(cudaMalloc(&data, n * sizeof(int)));
    } catch (const std::exception &) {
        throw;
    }
    ~Buffer() { cudaFree(data); }
};

int main() try {
    int caught = 0;
    try {
        check(0);
    } catch (std::out_of_range &) {
        ++caught;
    } catch (...) {
        caught += 2;
        throw;
    }
    Buffer b(4);
    printf("%d %d %s %s %d\n", caught, positive(3), named("x").c_str(), word(true), b.size);
    fflush(stdout);
} catch (const Error &e) {
    printf("%d\n", e.code);
    return 1;
}
