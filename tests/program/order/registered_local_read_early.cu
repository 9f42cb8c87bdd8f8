// A registered local array is read while the copy into it is on its way.
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
    int result[n] = {}, *device;
    CHECK(cudaHostRegister(result, sizeof result, cudaHostRegisterDefault));
    CHECK(cudaMalloc(&device, sizeof result));
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    squares<<<1, n, 0, stream>>>(device);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(result, device, sizeof result, cudaMemcpyDeviceToHost, stream));
    printf("%d\n", result[n - 1]); //~ O001
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaHostUnregister(result));
    CHECK(cudaFree(device));
}
