// Computes on the host: no array on the GPU at all.
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

__global__ void scale(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = 3 * x[i];
    }
}

// The sum of an element and its two neighbours, where they exist.
__global__ void smooth(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float left = i > 0 ? x[i - 1] : 0;
        float right = i + 1 < n ? x[i + 1] : 0;
        y[i] = left + x[i] + right;
    }
}

// Nothing above 20.
__global__ void limit(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = x[i] > 20 ? 20 : x[i];
    }
}

void filter(const float *in, float *out, int n) {
    for (int i = 0; i < n; i++) { //~ too-much-work: host_instructions
        float sum = 3 * in[i];
        if (i > 0) {
            sum += 3 * in[i - 1];
        }
        if (i + 1 < n) {
            sum += 3 * in[i + 1];
        }
        out[i] = sum > 20 ? 20 : sum;
    }
}
