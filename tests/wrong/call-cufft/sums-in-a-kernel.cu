// Without cuFFT: n products for each element.
//~ too-much-work: library_calls
#include <cstdio>
#include <cstdlib>
#include <cufft.h>

// Stops the program with the line and the reason when a call of CUDA fails.
#define CHECK(call)                                                                   \
    do {                                                                              \
        cudaError_t error_ = (call);                                                  \
        if (error_ != cudaSuccess) {                                                  \
            fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(error_));   \
            exit(1);                                                                  \
        }                                                                             \
    } while (0)

// As CHECK, for calls of cuFFT.
#define CUFFT(call)                                                                   \
    do {                                                                              \
        cufftResult result = (call);                                                  \
        if (result != CUFFT_SUCCESS) {                                                \
            fprintf(stderr, "line %d: cufftResult %d\n", __LINE__, result);           \
            exit(1);                                                                  \
        }                                                                             \
    } while (0)

__global__ void sums(const float *x, const float *h, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float sum = 0;
        for (int j = 0; j < n; j++) sum += x[j] * h[(i - j + n) % n];
        out[i] = sum;
    }
}

void convolve(float *x, float *h, float *out, int n) {
    sums<<<(n + 255) / 256, 256>>>(x, h, out, n);
    CHECK(cudaGetLastError());
}

int main() {
    // An echo: what was heard, and half of it two steps later.
    const int n = 8;
    const float host_x[n] = {1, 2, 3, 4, 0, 0, 0, 0}, host_h[n] = {1, 0, 0.5};
    float *x, *h, *out, host_out[n];
    CHECK(cudaMalloc(&x, sizeof(host_x)));
    CHECK(cudaMalloc(&h, sizeof(host_h)));
    CHECK(cudaMalloc(&out, sizeof(host_out)));
    CHECK(cudaMemcpy(x, host_x, sizeof(host_x), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(h, host_h, sizeof(host_h), cudaMemcpyHostToDevice));
    convolve(x, h, out, n);
    CHECK(cudaMemcpy(host_out, out, sizeof(host_out), cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++) {
        printf("%.3g%c", host_out[i], i < n - 1 ? ' ' : '\n');
    }
    CHECK(cudaFree(x));
    CHECK(cudaFree(h));
    CHECK(cudaFree(out));
}
