// The longer of the times from one start to two ends.
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

const int ENTRIES = 1024; // of the table
const int STEPS = 400;
// A multiprocessor of a T4 has 64 KiB of shared memory, room for two blocks that take
// 32 KiB, as those of large matrix products do.
const int TILE_BYTES = 32 * 1024;

// Follows the table for a number of steps, each of which needs the one before.
__global__ void walk(const int *next, int *out, int steps) {
    int at = blockIdx.x % ENTRIES;
    for (int step = 0; step < steps; step++) {
        at = next[at];
    }
    if (threadIdx.x == 0) {
        out[blockIdx.x] = at;
    }
}

// Microseconds from before the first to after the last of two walks with `blocks`
// blocks each, one in stream a, one in stream b.
float microseconds(int blocks, const int *next, int *out, cudaStream_t a, cudaStream_t b) {
    cudaEvent_t start, ends[2];
    CHECK(cudaEventCreate(&start));
    for (auto &e : ends) {
        CHECK(cudaEventCreate(&e));
    }
    CHECK(cudaMemsetAsync(out, 0, 2 * blocks * sizeof(int), a));
    CHECK(cudaEventRecord(start, a));
    CHECK(cudaStreamWaitEvent(b, start, 0));
    cudaStream_t both[] = {a, b};
    for (int i = 0; i < 2; i++) {
        walk<<<blocks, 32, TILE_BYTES, both[i]>>>(next, out + i * blocks, STEPS);
        CHECK(cudaEventRecord(ends[i], both[i]));
    }
    float longest = 0;
    for (auto e : ends) {
        float ms;
        CHECK(cudaEventSynchronize(e));
        CHECK(cudaEventElapsedTime(&ms, start, e));
        longest = std::max(longest, ms);
        CHECK(cudaEventDestroy(e));
    }
    CHECK(cudaEventDestroy(start));
    return longest * 1e3f;
}

int main(int argc, char **argv) {
    int *next, *out, host[ENTRIES], most = 1;
    for (int i = 0; i < ENTRIES; i++) {
        host[i] = (5 * i + 77) % ENTRIES;
    }
    for (int i = 1; i < argc; i++) {
        most = atoi(argv[i]) > most ? atoi(argv[i]) : most;
    }
    CHECK(cudaMalloc(&next, sizeof(host)));
    CHECK(cudaMalloc(&out, 2 * most * sizeof(int)));
    CHECK(cudaMemcpy(next, host, sizeof(host), cudaMemcpyHostToDevice));
    cudaStream_t a, b;
    CHECK(cudaStreamCreate(&a));
    CHECK(cudaStreamCreate(&b));

    microseconds(1, next, out, a, b); // loads the kernel: not counted
    for (int i = 1; i < argc; i++) {
        int blocks = atoi(argv[i]);
        float one = microseconds(blocks, next, out, a, a);
        float two = microseconds(blocks, next, out, a, b);
        printf("%d blocks: %.1f us in one stream, %.1f us in two, gain %.2f\n", blocks, one, two,
               one / two);
    }

    CHECK(cudaStreamDestroy(a));
    CHECK(cudaStreamDestroy(b));
    CHECK(cudaFree(next));
    CHECK(cudaFree(out));
}
