// In memory of the host that the GPU reaches by itself.
// first-program: multiply n numbers by a factor, on the GPU.
//
// scale_on_gpu() gets two arrays in ordinary host memory.

#include <cstdio>
#include <cstdlib>
#include <cstring>

// Stops the program with the line and the reason when a call of CUDA fails.
#define CHECK(call)                                                                   \
    do {                                                                              \
        cudaError_t error_ = (call);                                                  \
        if (error_ != cudaSuccess) {                                                  \
            fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(error_));   \
            exit(1);                                                                  \
        }                                                                             \
    } while (0)

__global__ void scale(const float *in, float *out, float factor, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = in[i] * factor;
    }
}

void scale_on_gpu(const float *in, float *out, float factor, int n) {
    size_t bytes = n * sizeof(float);
    float *h_in, *h_out, *d_in, *d_out;
    CHECK(cudaHostAlloc(&h_in, bytes, cudaHostAllocMapped));
    CHECK(cudaHostAlloc(&h_out, bytes, cudaHostAllocMapped));
    CHECK(cudaHostGetDevicePointer(&d_in, h_in, 0));
    CHECK(cudaHostGetDevicePointer(&d_out, h_out, 0));
    memcpy(h_in, in, bytes);
    scale<<<(n + 255) / 256, 256>>>(d_in, d_out, factor, n);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    memcpy(out, h_out, bytes);
    CHECK(cudaFreeHost(h_in));
    CHECK(cudaFreeHost(h_out));
}

int main() {
    float in[5] = {1, 2, 3, 4, 5};
    float out[5] = {0, 0, 0, 0, 0};
    scale_on_gpu(in, out, 10, 5);
    for (int i = 0; i < 5; i++) {
        printf("%g times 10 is %g\n", in[i], out[i]);
    }
}
