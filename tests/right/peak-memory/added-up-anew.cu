// Current bytes are added up from the table whenever they change.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <vector>

#define CHECK(call)                                                                   \
    do {                                                                              \
        cudaError_t error_ = (call);                                                  \
        if (error_ != cudaSuccess) {                                                  \
            fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(error_));   \
            exit(1);                                                                  \
        }                                                                             \
    } while (0)

struct Tracker {
    size_t current = 0; // bytes in use
    size_t peak = 0;    // most bytes in use since reset_peak()
    std::map<void *, size_t> sizes;

    cudaError_t allocate(void **pointer, size_t bytes) {
        cudaError_t result = cudaMalloc(pointer, bytes);
        if (result == cudaSuccess) {
            sizes[*pointer] = bytes;
            add_up();
            peak = peak < current ? current : peak;
        }
        return result;
    }

    cudaError_t release(void *pointer) {
        sizes.erase(pointer);
        add_up();
        return cudaFree(pointer);
    }

    void add_up() {
        current = 0;
        for (const auto &each : sizes) {
            current += each.second;
        }
    }

    void reset_peak() {
        peak = current;
    }
};

void report(const char *phase, Tracker &tracker) {
    printf("%s: current %zu, peak %zu\n", phase, tracker.current, tracker.peak);
    tracker.reset_peak();
}

__global__ void touch(char *x, size_t bytes) {
    x[0] = x[bytes - 1] = 1;
}

char *allocate(Tracker &tracker, size_t bytes) {
    void *x;
    CHECK(tracker.allocate(&x, bytes));
    touch<<<1, 1>>>((char *)x, bytes);
    CHECK(cudaGetLastError());
    return (char *)x;
}

size_t draw(unsigned &random) {
    random = random * 1664525 + 1013904223;
    return 1000 + (random >> 8) % 99001;
}

int main(int argc, char **argv) {
    int layers = argc > 1 ? atoi(argv[1]) : 4;
    unsigned random = argc > 2 ? atoi(argv[2]) : 1;
    Tracker tracker;

    std::vector<char *> weights, outputs;
    std::vector<size_t> sizes;
    for (int i = 0; i < layers; i++) {
        weights.push_back(allocate(tracker, draw(random)));
    }
    report("weights", tracker);

    for (int i = 0; i < layers; i++) {
        char *workspace = allocate(tracker, draw(random));
        sizes.push_back(draw(random));
        outputs.push_back(allocate(tracker, sizes.back()));
        CHECK(tracker.release(workspace));
    }
    report("forwards", tracker);

    void *library;
    CHECK(cudaMalloc(&library, 50000));

    char *gradient = allocate(tracker, sizes.back());
    for (int i = layers - 1; i >= 0; i--) {
        char *next = allocate(tracker, sizes[i > 0 ? i - 1 : 0]);
        CHECK(tracker.release(gradient));
        CHECK(tracker.release(outputs[i]));
        gradient = next;
    }
    report("backwards", tracker);

    void *too_large = nullptr;
    if (tracker.allocate(&too_large, 1ull << 42) != cudaSuccess) {
        printf("%s\n", cudaGetErrorName(cudaGetLastError()));
    }
    report("refused", tracker);

    CHECK(tracker.release(gradient));
    CHECK(tracker.release(nullptr));
    for (char *w : weights) {
        CHECK(tracker.release(w));
    }
    CHECK(cudaFree(library));
    report("clean-up", tracker);
}
