// transfer-cost: how long does a copy to the GPU take?

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
    double start = now_us();
    // It returns when the bytes have arrived, so no other wait is needed.
    CHECK(cudaMemcpy(d, h, bytes, cudaMemcpyHostToDevice));
    return now_us() - start;
}

int main(int argc, char **argv) {
    size_t small = argc > 1 ? atoll(argv[1]) : 65536;
    size_t large = argc > 2 ? atoll(argv[2]) : 8388608;

    void *h, *d;
    // Pinned: the GPU fetches the data itself. Pageable memory would be copied
    // by the host first, and we would measure the host's rate.
    CHECK(cudaMallocHost(&h, large));
    CHECK(cudaMalloc(&d, large));

    // The first call of a program has more to do than the others.
    copy_us(d, h, small);

    double time_small = copy_us(d, h, small);
    double time_large = copy_us(d, h, large);

    // Both times contain the same latency, so their difference contains none.
    double rate = (large - small) / (time_large - time_small);
    double latency = time_small - small / rate;
    // At this size, half of the time is latency.
    double crossover = latency * rate;

    printf("latency   %.2f us\n", latency);
    printf("rate      %.2f GB/s\n", rate / 1000);
    printf("crossover %.0f bytes\n", crossover);

    CHECK(cudaFree(d));
    CHECK(cudaFreeHost(h));
}
