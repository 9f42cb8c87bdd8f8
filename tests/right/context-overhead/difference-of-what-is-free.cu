// Ours is the difference of what is free.
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

    double start = now_ms();
    CHECK(cudaFree(nullptr));
    double first = now_ms() - start;

    start = now_ms();
    CHECK(cudaFree(nullptr));
    double second = now_ms() - start;

    size_t free_before, free_behind, total;
    CHECK(cudaMemGetInfo(&free_before, &total));
    char *memory;
    CHECK(cudaMalloc((void **)&memory, mib * 1048576));
    CHECK(cudaMemGetInfo(&free_behind, &total));
    size_t context = total - free_before, ours = free_before - free_behind;
    CHECK(cudaFree(memory));

    printf("first call  %.2f ms\n", first);
    printf("second call %.2f us\n", 1000 * second);
    printf("context     %.1f MiB\n", context / 1048576.0);
    printf("ours        %.1f MiB\n", ours / 1048576.0);
}
