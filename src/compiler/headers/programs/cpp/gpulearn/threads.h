// How threads of the host run here: one after the other, each where it is created, to its end.
#pragma once
#include <cuda_runtime.h>
#include <gpulearn/signals.h>

// Ends the program as unsupported: `call` waits for what only another thread can do.
extern "C" [[noreturn]] void __gpulearn_waits_for_thread(const char *call);

namespace std {

// Runs a thread's function. The runtime's current device and its last error are each thread's own.
template <class F>
decltype(auto) __run_as_thread(F &&f) {
    struct Thread {
        Thread() { __gpulearn_thread_begins(); }
        ~Thread() { __gpulearn_thread_ends(); }
    } thread;
    return static_cast<F &&>(f)();
}

} // namespace std
