// How threads of the host run here: one after the other, each where it is created, to its end.
#pragma once
#include <cuda_runtime.h>

// Ends the program as unsupported: `call` waits for what only another thread can do.
extern "C" [[noreturn]] void __gpulearn_waits_for_thread(const char *call);

namespace std {

// Runs a thread's function; the runtime's current device is each thread's own, and 0 at first.
template <class F>
decltype(auto) __run_as_thread(F &&f) {
    struct Devices {
        int before = 0;
        Devices() {
            if (cudaGetDevice(&before) == cudaSuccess && before != 0) cudaSetDevice(0);
        }
        ~Devices() {
            int now = before;
            if (cudaGetDevice(&now) == cudaSuccess && now != before) cudaSetDevice(before);
        }
    } devices;
    return static_cast<F &&>(f)();
}

} // namespace std
