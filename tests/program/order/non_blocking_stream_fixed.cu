// The default stream orders itself with a stream made without cudaStreamNonBlocking.
#include <cstdio>

#define CHECK(call)                                                                   \
    do {                                                                               \
        cudaError_t status_ = (call);                                                  \
        if (status_ != cudaSuccess) {                                                  \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_)); \
            exit(EXIT_FAILURE);                                                        \
        }                                                                              \
    } while (0)

__global__ void add(int *x, int value) { x[threadIdx.x] += value; }

int main() {
    int *x, host[64];
    CHECK(cudaMalloc(&x, sizeof host));
    cudaStream_t stream;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamDefault));
    CHECK(cudaMemset(x, 0, sizeof host));
    CHECK(cudaDeviceSynchronize());
    add<<<1, 64>>>(x, 5);
    add<<<1, 64, 0, stream>>>(x, 7);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost));
    printf("%d %d\n", host[0], host[63]);
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(x));
}
