// The arrays themselves are registered, and the kernel works on them over the bus.
// first-program: multiply n numbers by a factor, on the GPU.
//
// The kernel is here. You write the host code: scale_on_gpu(), which gets two
// arrays in ordinary host memory. The tool calls it; main() is for you:
//
//     gpulearn run kernels/5-programs/first-program.cu

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
    float *d_in, *d_out;
    CHECK(cudaHostRegister((void *)in, n * sizeof(float), cudaHostRegisterMapped));
    CHECK(cudaHostRegister(out, n * sizeof(float), cudaHostRegisterMapped));
    CHECK(cudaHostGetDevicePointer((void **)&d_in, (void *)in, 0));
    CHECK(cudaHostGetDevicePointer((void **)&d_out, out, 0));
    scale<<<(n + 255) / 256, 256>>>(d_in, d_out, factor, n);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaHostUnregister((void *)in));
    CHECK(cudaHostUnregister(out));
}

int main() {
    float in[5] = {1, 2, 3, 4, 5};
    float out[5] = {0, 0, 0, 0, 0};
    scale_on_gpu(in, out, 10, 5);
    for (int i = 0; i < 5; i++) {
        printf("%g times 10 is %g\n", in[i], out[i]);
    }
}
