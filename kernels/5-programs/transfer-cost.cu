// transfer-cost: how long does a copy to the GPU take?
//
// The program is given two sizes in bytes. It should measure a copy of each,
// and work out the latency and the rate of the bus:
//
//     gpulearn run kernels/5-programs/transfer-cost.cu -- 65536 8388608

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

// The host's clock, in microseconds.
double now_us() {
    using namespace std::chrono;
    return duration<double, std::micro>(steady_clock::now().time_since_epoch()).count();
}

// Microseconds that a copy of `bytes` bytes from `h` to `d` takes.
double copy_us(void *d, const void *h, size_t bytes) {
    // Write it here.
    return 0;
}

int main(int argc, char **argv) {
    size_t small = argc > 1 ? atoll(argv[1]) : 65536;
    size_t large = argc > 2 ? atoll(argv[2]) : 8388608;
    double latency = 0;   // microseconds
    double rate = 0;      // bytes in a microsecond
    double crossover = 0; // bytes

    // Write it here: allocate memory, measure, and work out the three values.

    printf("latency   %.2f us\n", latency);
    printf("rate      %.2f GB/s\n", rate / 1000);
    printf("crossover %.0f bytes\n", crossover);
}
