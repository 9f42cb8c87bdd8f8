// std::exception, and what `try`, `catch` and `throw` mean here: device code has no exceptions, so a
// `throw` ends the program with the message of what is thrown, as it does in C++ where nothing catches it.
// Where something would, the tool says that it lacks that, unless the handler is one of handlers.h. No handler
// ever runs where it stands, and each has a name for what it catches, and each `throw` a value (the tool sees to
// that); both still have to compile.
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

// Stands for the value of a `throw`, which may be an operand of `?:`.
struct Thrown {
    template <class T>
    operator T() const {
        __gpulearn_throw("exception", thrown);
    }
};

}  // namespace __gpulearn

#include <gpulearn/handlers.h>

namespace __gpulearn {

// What `throw` assigns to, as it binds to its right as weakly as an assignment does.
struct Thrower {
    template <class T>
    [[noreturn]] constexpr Thrown operator=(const T &value) const {
        __GPULEARN_THROW(value);
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

#define throw ::__gpulearn::Thrower{} =
#define try if (::__gpulearn::Trying __gpulearn_trying{}; true)
#define catch(...) if (false) for (__VA_ARGS__ = ::__gpulearn::Caught(); false;)
