// The pinned input is cleared for the next round once its copy is done.
#include <cstdio>
#include <cstring>

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
    float *input, *device, output[n];
    CHECK(cudaHostAlloc(&input, bytes, cudaHostAllocWriteCombined));
    CHECK(cudaMalloc(&device, bytes));
    for (size_t i = 0; i < n; i++) input[i] = 0.5f * i;
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaMemcpyAsync(device, input, bytes, cudaMemcpyHostToDevice, stream));
    CHECK(cudaStreamSynchronize(stream));
    memset(input, 0, bytes);
    CHECK(cudaMemcpy(output, device, bytes, cudaMemcpyDeviceToHost));
    printf("last: %g\n", output[n - 1]);
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFreeHost(input));
    CHECK(cudaFree(device));
}
