// devices: 2
// One GPU makes the values, a stream of the other fetches them without waiting for the first.
#include <cstdio>

#define CHECK(call)                                                                   \
    do {                                                                               \
        cudaError_t status_ = (call);                                                  \
        if (status_ != cudaSuccess) {                                                  \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_)); \
            exit(EXIT_FAILURE);                                                        \
        }                                                                              \
    } while (0)

__global__ void make(int *x) { x[blockIdx.x * blockDim.x + threadIdx.x] = 10 * blockIdx.x + threadIdx.x % 10; }

int main() {
    const int n = 256;
    const size_t bytes = n * sizeof(int);
    int *there, *here, host[n];
    cudaStream_t making, fetching;
    cudaEvent_t made;
    CHECK(cudaSetDevice(0));
    CHECK(cudaMalloc(&there, bytes));
    CHECK(cudaMemset(there, 0, bytes));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaStreamCreate(&making));
    CHECK(cudaEventCreateWithFlags(&made, cudaEventDisableTiming));
    make<<<4, 64, 0, making>>>(there);
    CHECK(cudaEventRecord(made, making));
    CHECK(cudaSetDevice(1));
    CHECK(cudaMalloc(&here, bytes));
    CHECK(cudaStreamCreate(&fetching));
    CHECK(cudaMemcpyPeerAsync(here, 1, there, 0, bytes, fetching)); //~ O003
    CHECK(cudaMemcpyAsync(host, here, bytes, cudaMemcpyDeviceToHost, fetching));
    CHECK(cudaStreamSynchronize(fetching));
    printf("last: %d\n", host[n - 1]);
    CHECK(cudaStreamDestroy(fetching));
    CHECK(cudaFree(here));
    CHECK(cudaSetDevice(0));
    CHECK(cudaStreamSynchronize(making));
    CHECK(cudaEventDestroy(made));
    CHECK(cudaStreamDestroy(making));
    CHECK(cudaFree(there));
}
