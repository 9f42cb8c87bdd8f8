// read-a-trace: answer from what the tool has recorded.
//
// The answers, and where to find them in the trace.

// On which kernel does the GPU spend the most time in all?
//   a   nudge
//   b   relax
//   c   decay
// Five bars of 24.6 us are 123 us; relax has 72.4, nudge twelve times 1.7.
// answer longest = c

// How many microseconds do the twelve launches of `nudge` take on the GPU, all
// together? Within a tenth.
// Twelve bars of 1.663 us.
// answer nudge_us = 20

// How many microseconds does the second round take, from its first launch call
// to the end of its last kernel? Within a twentieth.
// From the ts of the first launch call to the ts + dur of the last decay:
// 182762.4 + 24.6 - 182517.4.
// answer row_us = 270

// During how many per cent of that time does the GPU compute? Within 4.
// The bars are 20.0 + 72.4 + 123.1 = 215.5 us, of 269.6.
// answer busy = 80

// Why is the GPU idle between two launches of `nudge`?
//   a   the GPU needs that time to start a kernel
//   b   the host takes longer to launch a kernel than the GPU to run it
//   c   the host waits for each kernel
// A launch call begins every 5 us and takes 4.5; a kernel takes 1.7. That a kernel
// begins 4 us after its call is not the reason: so does the next one.
// answer gap = b

// Which of these makes the round the shortest?
//   a   a `relax` that is twice as fast
//   b   every `decay` by a quarter faster
//   c   a `nudge` that is ten times as fast
//   d   one launch that does the work of the twelve of `nudge`
// Eleven calls of 5 us are 55 us, minus about 10 by which the one bar is longer. Half of
// relax is 36, a quarter of the decays 31, and a faster nudge would only leave longer
// gaps.
// answer worth = d

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

// Takes `steps` steps, each of which needs the one before.
extern "C" __global__ void nudge(float *x, int steps) {
    float v = threadIdx.x;
    for (int i = 0; i < steps; i++) {
        v = 1 - v * 0.125f;
    }
    x[threadIdx.x] = v;
}

// The same with another rule.
extern "C" __global__ void relax(float *x, int steps) {
    float v = threadIdx.x;
    for (int i = 0; i < steps; i++) {
        v = v * 0.5f + 1;
    }
    x[threadIdx.x] = v;
}

// And with a third.
extern "C" __global__ void decay(float *x, int steps) {
    float v = threadIdx.x;
    for (int i = 0; i < steps; i++) {
        v = v - v * 0.25f;
    }
    x[threadIdx.x] = v;
}

int main() {
    const int N = 64;
    float *x;
    CHECK(cudaMalloc(&x, N * sizeof(float)));
    for (int round = 0; round < 2; round++) { // the first one loads the kernels
        for (int k = 0; k < 12; k++) {
            nudge<<<1, N>>>(x, 150);
        }
        relax<<<1, N>>>(x, 24000);
        for (int k = 0; k < 5; k++) {
            decay<<<1, N>>>(x, 4000);
        }
        CHECK(cudaGetLastError());
        CHECK(cudaDeviceSynchronize());
    }
    CHECK(cudaFree(x));
}
