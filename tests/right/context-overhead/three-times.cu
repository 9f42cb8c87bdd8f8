// Three readings of the clock make both differences.
#include <chrono>
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                   \
    do {                                                                              \
        cudaError_t error_ = (call);                                                  \
        if (error_ != cudaSuccess) {                                                  \
            fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(error_));   \
            exit(1);                                                                  \
        }                                                                             \
    } while (0)

double now_ms() {
    using namespace std::chrono;
    return duration<double, std::milli>(steady_clock::now().time_since_epoch()).count();
}

size_t used() {
    size_t unused, total;
    CHECK(cudaMemGetInfo(&unused, &total));
    return total - unused;
}

int main(int argc, char **argv) {
    size_t mib = argc > 1 ? atoll(argv[1]) : 64; // what the program itself uses

    double before = now_ms();
    CHECK(cudaFree(0));
    double between = now_ms();
    CHECK(cudaFree(0));
    double behind = now_ms();
    double first = between - before, second = behind - between;

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
