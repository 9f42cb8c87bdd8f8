// The registered input is cleared for the next round once its copy is done.
#include <cstdio>
#include <cstring>
#include <cstdlib>

#define CHECK(call)                                                                   \
    do {                                                                               \
        cudaError_t status_ = (call);                                                  \
        if (status_ != cudaSuccess) {                                                  \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_)); \
            exit(EXIT_FAILURE);                                                        \
        }                                                                              \
    } while (0)

int main() {
    const size_t n = 1000, bytes = n * sizeof(float);
    float *input = (float *)malloc(bytes), *output = (float *)malloc(bytes), *device;
    for (size_t i = 0; i < n; i++) input[i] = 0.5f * i;
    CHECK(cudaHostRegister(input, bytes, cudaHostRegisterDefault));
    CHECK(cudaMalloc(&device, bytes));
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaMemcpyAsync(device, input, bytes, cudaMemcpyHostToDevice, stream));
    CHECK(cudaStreamSynchronize(stream));
    memset(input, 0, bytes);
    CHECK(cudaMemcpy(output, device, bytes, cudaMemcpyDeviceToHost));
    printf("last: %g\n", output[n - 1]);
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaHostUnregister(input));
    CHECK(cudaFree(device));
    free(input);
    free(output);
}
