// A registered array is filled for the next round when its copy is done.
#include <cstdio>
#include <vector>

#define CHECK(call)                                                                   \
    do {                                                                               \
        cudaError_t status_ = (call);                                                  \
        if (status_ != cudaSuccess) {                                                  \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_)); \
            exit(EXIT_FAILURE);                                                        \
        }                                                                              \
    } while (0)

int main() {
    std::vector<float> input(500), output(500);
    const size_t bytes = input.size() * sizeof(float);
    float *device;
    for (size_t i = 0; i < input.size(); i++) input[i] = 0.5f * i;
    CHECK(cudaHostRegister(input.data(), bytes, cudaHostRegisterPortable));
    CHECK(cudaMalloc(&device, bytes));
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaMemcpyAsync(device, input.data(), bytes, cudaMemcpyHostToDevice, stream));
    CHECK(cudaStreamSynchronize(stream));
    input[499] = 0;
    CHECK(cudaMemcpy(output.data(), device, bytes, cudaMemcpyDeviceToHost));
    printf("%g\n", output[499]);
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaHostUnregister(input.data()));
    CHECK(cudaFree(device));
}
