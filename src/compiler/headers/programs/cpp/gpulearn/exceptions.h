// std::exception, and what `try`, `catch` and `throw` mean here: device code has no exceptions, so a
// `throw` ends the program with the message of what is thrown, as it does in C++ where nothing catches it.
// Where something would, the tool says that it lacks that. No handler ever runs, and each has a name for
// what it catches (the tool sees to that); both still have to compile.
#pragma once
#include <gpulearn/throw.h>

namespace __gpulearn {

// The message of the exception that was made last.
inline char thrown[256];

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

// Lives as long as what a handler stands behind.
struct Trying {
    Trying() { __gpulearn_try(1); }
    ~Trying() { __gpulearn_try(-1); }
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
#define try if (::__gpulearn::Trying __gpulearn_trying{}; true)
#define catch(...) if (false) for (__VA_ARGS__ = ::__gpulearn::Caught(); false;)
