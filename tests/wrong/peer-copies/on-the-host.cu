// peer-copies: two GPUs, each with a row of its own, which need each other's row
// in every step.
//
// in, out: two rows of n numbers, in host memory.

#include <cstdio>
#include <cstdlib>
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

// A step: own[i] becomes a scramble of itself and of a number of the other row.
__global__ void mix(unsigned *own, const unsigned *other, int n, int rounds) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned v = own[i] + other[n - 1 - i];
        for (int round = 0; round < rounds; round++) {
            v ^= v << 13;
            v ^= v >> 17;
            v ^= v << 5;
        }
        own[i] = v;
    }
}

void run_both(const unsigned *in, unsigned *out, int n, int steps, int rounds) { //~ too-much-work: host_launches
    std::vector<unsigned> a(in, in + n), b(in + n, in + 2 * n);
    CHECK(cudaSetDevice(1));
    CHECK(cudaSetDevice(0));
    for (int step = 0; step < steps; step++) {
        std::vector<unsigned> old = a;
        for (int i = 0; i < 2 * n; i++) {
            unsigned &mine = i < n ? a[i] : b[i - n];
            unsigned v = mine + (i < n ? b[n - 1 - i] : old[2 * n - 1 - i]);
            for (int round = 0; round < rounds; round++) {
                v ^= v << 13;
                v ^= v >> 17;
                v ^= v << 5;
            }
            mine = v;
        }
    }
    for (int i = 0; i < n; i++) {
        out[i] = a[i];
        out[n + i] = b[i];
    }
}
