// Measures the copy from the GPU to the host.
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
    CHECK(cudaMemset(d, 0, bytes));
    CHECK(cudaDeviceSynchronize());
    double start = now_us();
    CHECK(cudaMemcpy((void*)h, d, bytes, cudaMemcpyDeviceToHost)); //~ wrong-output
    return now_us() - start;
}

int main(int argc, char **argv) {
    size_t small = argc > 1 ? atoll(argv[1]) : 65536;
    size_t large = argc > 2 ? atoll(argv[2]) : 8388608;
    double latency = 0;   // microseconds
    double rate = 0;      // bytes in a microsecond
    double crossover = 0; // bytes

    char *h, *d;
    CHECK(cudaMallocHost(&h, large));
    CHECK(cudaMalloc(&d, large));
    copy_us(d, h, small);
    double ts = copy_us(d, h, small), tl = copy_us(d, h, large);
    rate = (large - small) / (tl - ts);
    latency = ts - small / rate;
    crossover = latency * rate;
    CHECK(cudaFree(d));
    CHECK(cudaFreeHost(h));

    printf("latency   %.2f us\n", latency);
    printf("rate      %.2f GB/s\n", rate / 1000);
    printf("crossover %.0f bytes\n", crossover);
}
