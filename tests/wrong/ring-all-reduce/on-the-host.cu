// ring-all-reduce: each GPU has n numbers, and afterwards each has the sums of
// all GPUs' numbers.
//
// in, out: a row of n floats for each GPU, in host memory.

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

void sum_everywhere(const float *in, float *out, int n) { //~ too-much-work: bytes_between_gpus
    int gpus;
    CHECK(cudaGetDeviceCount(&gpus));
    for (int i = 0; i < n; i++) {
        float sum = 0;
        for (int g = 0; g < gpus; g++) {
            sum += in[g * n + i];
        }
        for (int g = 0; g < gpus; g++) {
            out[g * n + i] = sum;
        }
    }
}
