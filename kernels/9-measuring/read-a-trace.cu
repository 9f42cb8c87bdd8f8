// read-a-trace: answer from what the tool has recorded.
//
// This is a whole program. Run it, and look at what happened when:
//
//     gpulearn run --as t4 --trace out.json kernels/9-measuring/read-a-trace.cu
//
// The questions are about its second round. Write your answers in place of the
// question marks. The tool measures on its own copy of the kernels,
// whatever you change below.

// On which kernel does the GPU spend the most time in all?
//   a   nudge
//   b   relax
//   c   decay
// answer longest = ?

// How many microseconds do the twelve launches of `nudge` take on the GPU, all
// together? Within a tenth.
// answer nudge_us = ?

// How many microseconds does the second round take, from its first launch call
// to the end of its last kernel? Within a twentieth.
// answer row_us = ?

// During how many per cent of that time does the GPU compute? Within 4.
// answer busy = ?

// Why is the GPU idle between two launches of `nudge`?
//   a   the GPU needs that time to start a kernel
//   b   the host takes longer to launch a kernel than the GPU to run it
//   c   the host waits for each kernel
// answer gap = ?

// Which of these makes the round the shortest?
//   a   a `relax` that is twice as fast
//   b   every `decay` by a quarter faster
//   c   a `nudge` that is ten times as fast
//   d   one launch that does the work of the twelve of `nudge`
// answer worth = ?

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
