// peak-memory: how much memory does a program use, and how much at most?

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <vector>

// Stops the program with the line and the reason when a call of CUDA fails.
#define CHECK(call)                                                                   \
    do {                                                                              \
        cudaError_t error_ = (call);                                                  \
        if (error_ != cudaSuccess) {                                                  \
            fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(error_));   \
            exit(1);                                                                  \
        }                                                                             \
    } while (0)

// Sits between the program and cudaMalloc, and keeps count.
struct Tracker {
    size_t current = 0; // bytes in use
    size_t peak = 0;    // most bytes in use since reset_peak()
    std::map<void *, size_t> sizes;

    // Like cudaMalloc.
    cudaError_t allocate(void **pointer, size_t bytes) {
        cudaError_t result = cudaMalloc(pointer, bytes);
        // What was refused is not in use.
        if (result == cudaSuccess) {
            sizes[*pointer] = bytes;
            current += bytes;
            peak = std::max(peak, current);
        }
        return result;
    }

    // Like cudaFree.
    cudaError_t release(void *pointer) {
        // CUDA does not tell us how large it was, so the tracker has to know.
        current -= sizes[pointer];
        sizes.erase(pointer);
        return cudaFree(pointer);
    }

    void reset_peak() {
        // Not to zero: some memory may be in use now.
        peak = current;
    }
};

void report(const char *phase, Tracker &tracker) {
    printf("%s: current %zu, peak %zu\n", phase, tracker.current, tracker.peak);
    tracker.reset_peak();
}

// Writes both ends of an array.
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

// Random numbers from 1000 to 100 000.
size_t draw(unsigned &random) {
    random = random * 1664525 + 1013904223;
    return 1000 + (random >> 8) % 99001;
}

int main(int argc, char **argv) {
    int layers = argc > 1 ? atoi(argv[1]) : 4;
    unsigned random = argc > 2 ? atoi(argv[2]) : 1;
    Tracker tracker;

    // The weights of a network, one array for each layer.
    std::vector<char *> weights, outputs;
    std::vector<size_t> sizes;
    for (int i = 0; i < layers; i++) {
        weights.push_back(allocate(tracker, draw(random)));
    }
    report("weights", tracker);

    // Forwards: each layer's output is kept, its workspace is not.
    for (int i = 0; i < layers; i++) {
        char *workspace = allocate(tracker, draw(random));
        sizes.push_back(draw(random));
        outputs.push_back(allocate(tracker, sizes.back()));
        CHECK(tracker.release(workspace));
    }
    report("forwards", tracker);

    // A library takes memory for itself: the tracker does not count that.
    void *library;
    CHECK(cudaMalloc(&library, 50000));

    // Backwards: the gradient takes the place of the output.
    char *gradient = allocate(tracker, sizes.back());
    for (int i = layers - 1; i >= 0; i--) {
        char *next = allocate(tracker, sizes[i > 0 ? i - 1 : 0]);
        CHECK(tracker.release(gradient));
        CHECK(tracker.release(outputs[i]));
        gradient = next;
    }
    report("backwards", tracker);

    // More than any GPU has.
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
