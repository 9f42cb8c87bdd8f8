// The pinned input is freed when its copy is done.
#include <cstdio>
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
    const int n = 256;
    int *input, *device, last;
    CHECK(cudaMallocHost(&input, n * sizeof(int)));
    CHECK(cudaMalloc(&device, n * sizeof(int)));
    for (int i = 0; i < n; i++) input[i] = 3 * i;
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaMemcpyAsync(device, input, n * sizeof(int), cudaMemcpyHostToDevice, stream));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaFreeHost(input));
    CHECK(cudaMemcpy(&last, device + n - 1, sizeof last, cudaMemcpyDeviceToHost));
    printf("%d\n", last);
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(device));
}
