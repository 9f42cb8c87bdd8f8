// Registered memory is copied to while the host goes on, which looks when that is done.
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

__global__ void squares(int *x) { x[threadIdx.x] = threadIdx.x * threadIdx.x; }

int main() {
    const int n = 64;
    int *result = (int *)malloc(n * sizeof(int)), *device;
    for (int i = 0; i < n; i++) result[i] = -1;
    CHECK(cudaHostRegister(result, n * sizeof(int), cudaHostRegisterDefault));
    CHECK(cudaMalloc(&device, n * sizeof(int)));
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    squares<<<1, n, 0, stream>>>(device);
    CHECK(cudaMemcpyAsync(result, device, n * sizeof(int), cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    printf("%d\n", result[9]);
    CHECK(cudaHostUnregister(result));
    printf("%d\n", result[8]);
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(device));
    free(result);
}
