// context-overhead: what does the GPU's context cost, in time and memory?
//
//     gpulearn run kernels/5-programs/context-overhead.cu -- 64

#include <chrono>
#include <cstdio>
#include <cstdlib>

// Stops the program with the line and the reason when a call of CUDA fails.
#define CHECK(call)                                                                   \
    do {                                                                              \
        cudaError_t error_ = (call);                                                  \
        if (error_ != cudaSuccess) {                                                  \
            fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(error_));   \
            exit(1);                                                                  \
        }                                                                             \
    } while (0)

// The host's clock, in milliseconds.
double now_ms() {
    using namespace std::chrono;
    return duration<double, std::milli>(steady_clock::now().time_since_epoch()).count();
}

int main(int argc, char **argv) {
    size_t mib = argc > 1 ? atoll(argv[1]) : 64; // what the program itself uses
    double first = 0, second = 0; // milliseconds of the first call, and of the next
    size_t context = 0;           // bytes in use when none are ours yet
    size_t ours = 0;              // additional bytes in use with `mib` MiB of ours

    // Write it here.

    printf("first call  %.2f ms\n", first);
    printf("second call %.2f us\n", 1000 * second);
    printf("context     %.1f MiB\n", context / 1048576.0);
    printf("ours        %.1f MiB\n", ours / 1048576.0);
}
