// How host code and the host functions of streams signal to each other: by volatile and atomic accesses, of local
// variables, too, which the compiler would otherwise take for memory that nobody else accesses.
#pragma once

namespace std {

// Returns the address, of which the compiler then does not know what it leads to.
template <class T>
volatile T *__opaque(T *at) {
    asm("" : "+l"(at));
    return at;
}

// Sets a value and returns what it was. As by any atomic read and write of the host, work that may go on has gone on.
inline int __exchanged(int *at, int value) {
    int was;
    asm volatile("atom.exch.b32 %0, [%1], %2;" : "=r"(was) : "l"(at), "r"(value) : "memory");
    return was;
}

// What is raised once, when all that it tells of is done.
class __signal {
    int raised = 0;

  public:
    void raise() { *__opaque(&raised) = 1; }
    bool is_raised() {
        // A read and write of a value of its own lets work go on; a signal that is written would be the host's.
        int own = 0;
        __exchanged(&own, 1);
        return *__opaque(&raised) != 0;
    }
};

} // namespace std
