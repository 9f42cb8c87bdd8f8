// The kernel works in place, in one array.
// first-program: multiply n numbers by a factor, on the GPU.
//
// scale_on_gpu() gets two arrays in ordinary host memory.

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

__global__ void scale(const float *in, float *out, float factor, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = in[i] * factor;
    }
}

void scale_on_gpu(const float *in, float *out, float factor, int n) {
    size_t bytes = n * sizeof(float);
    float *d_x;
    CHECK(cudaMalloc(&d_x, bytes));
    CHECK(cudaMemcpy(d_x, in, bytes, cudaMemcpyDefault));
    int blocks = (n + 127) / 128;
    scale<<<blocks, 128>>>(d_x, d_x, factor, n); // in place
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(out, d_x, bytes, cudaMemcpyDefault));
    CHECK(cudaFree(d_x));
}

int main() {
    float in[5] = {1, 2, 3, 4, 5};
    float out[5] = {0, 0, 0, 0, 0};
    scale_on_gpu(in, out, 10, 5);
    for (int i = 0; i < 5; i++) {
        printf("%g times 10 is %g\n", in[i], out[i]);
    }
}
