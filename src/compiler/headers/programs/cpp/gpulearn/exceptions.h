// std::exception, and what `try`, `catch` and `throw` mean here: device code has no exceptions, so a
// `throw` ends the program with the message of what is thrown, and no handler ever runs. Both still
// have to compile.
#pragma once
#include <gpulearn/throw.h>

namespace __gpulearn {

// The message of the exception that was made last.
static char thrown[256];

__noinline__ inline void what(const char *message) {
    unsigned i = 0;
    for (; message[i] && i + 1 < sizeof thrown; ++i) thrown[i] = message[i];
    thrown[i] = 0;
}

// Stands for what a handler would be given.
struct Caught {
    template <class T>
    operator T &() const {
        T *nothing = nullptr;
        return *nothing;
    }
};

}  // namespace __gpulearn

namespace std {

class exception {
  public:
    exception() noexcept { __gpulearn::thrown[0] = 0; }
    virtual ~exception() {}
    virtual const char *what() const noexcept { return "std::exception"; }
};

}  // namespace std

#define throw \
    for (;; __gpulearn_throw("exception", __gpulearn::thrown))
#define try if (true)
#define catch(...) if (false) for (__VA_ARGS__ = ::__gpulearn::Caught(); false;)
