// Takes device 0 for none.

#include <algorithm>
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

struct Choice {
    int device;           // -1: none is suitable
    int highest;          // highest compute capability of all, 80 for 8.0
    size_t most_free_mib; // most free memory among those with enough capability
};

// Of the devices with at least this compute capability (80 for 8.0) and at
// least `mib` MiB of free memory, chooses the one with the most. It is the
// current device afterwards.
Choice choose(int capability, size_t mib) {
    Choice choice = {-1, 0, 0};
    int count;
    CHECK(cudaGetDeviceCount(&count));
    for (int device = 0; device < count; device++) {
        cudaDeviceProp gpu;
        CHECK(cudaGetDeviceProperties(&gpu, device));
        int its = 10 * gpu.major + gpu.minor;
        choice.highest = std::max(choice.highest, its);
        if (its < capability) {
            continue;
        }
        CHECK(cudaSetDevice(device));
        size_t free, total;
        CHECK(cudaMemGetInfo(&free, &total));
        size_t free_mib = free >> 20;
        bool better = free_mib > choice.most_free_mib;
        choice.most_free_mib = std::max(choice.most_free_mib, free_mib);
        if (better && free_mib >= mib) {
            choice.device = device;
        }
    }
    // The loop has left the last device current.
    if (choice.device >= 0) {
        CHECK(cudaSetDevice(choice.device));
    }
    return choice;
}

// Others use memory on each device, here more and there less.
struct Others {
    void *used[16] = {};
    int count = 0;

    explicit Others(unsigned seed) {
        CHECK(cudaGetDeviceCount(&count));
        for (int device = 0; device < count; device++) {
            CHECK(cudaSetDevice(device));
            CHECK(cudaMalloc(&used[device], (1 + (seed + 37 * device) % 100) << 20));
        }
    }
    ~Others() {
        for (int device = 0; device < count; device++) {
            CHECK(cudaSetDevice(device));
            CHECK(cudaFree(used[device]));
        }
    }
};

int main(int argc, char **argv) {
    int capability = argc > 1 ? atoi(argv[1]) : 75;
    size_t mib = argc > 2 ? atoll(argv[2]) : 1000;
    Others others(argc > 3 ? atoi(argv[3]) : 1);

    Choice choice = choose(capability, mib);
    if (choice.highest < capability) {
        printf("no device: compute capability %d is needed, %d is the highest\n", capability,
               choice.highest);
        return 2;
    }
    if (choice.device <= 0) { //~ wrong-output
        printf("no device: %zu MiB are needed, %zu are free\n", mib, choice.most_free_mib);
        return 2;
    }
    int current;
    CHECK(cudaGetDevice(&current));
    printf("device %d, %zu MiB free\n", current, choice.most_free_mib);
    return 0;
}
